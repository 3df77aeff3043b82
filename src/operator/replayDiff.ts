import type { LogEntry } from '../credit/deadLetter.ts';
import { whyNotInPlan } from '../credit/plannedOnly.ts';
import { createPlanCheck, type PlanCheck } from '../ledger/planCheck.ts';
import type { BookedRain } from '../ledger/rains.ts';
import type { Claim } from '../rain/claim.ts';
import { formatMoney, parseMoney } from '../rain/money.ts';
import { readCredits, readDiscardedLetters, type Posted } from './audit/booked.ts';
import type { OperatorContext } from './context.ts';
import type { Replayed } from './replay.ts';

/**
 * What will not resolve by itself: `missing` in the log but not in the ledger, and nothing is on the way · `only_in_book` in the ledger
 * but not in the log · `differs` the ledger has credited the packet, or the user, differently · `unreadable` not a claim of this rain ·
 * `not_in_plan` a claim to a packet or an amount that the plan does not have, credited or not [R14]
 */
interface Difference {
  kind: 'missing' | 'only_in_book' | 'differs' | 'unreadable' | 'not_in_plan';
  sentence: string;
}

export interface ReplayDiff {
  entries: number;
  /** Differences by kind; `first` holds the first hundred. */
  counts: Record<Difference['kind'], number>;
  first: Difference[];
  /** Won and on the way to the ledger: not a difference until the rain is settled. */
  pending: number;
  firstPending: string[];
  /** Entries that the operator has discarded with a reason: explained, so not a difference. */
  discardedClaims: number;
}

export type Comparison = Awaited<ReturnType<typeof beginComparison>>;

const LISTED_MAX = 100;
const DEAD_PAGE = 500;

/**
 * Begin it BEFORE reading the log: every credit was in the log earlier, so a claim that moves meanwhile is not reported as a difference.
 * @param areDead which of these entries are dead-lettered, in order: they will not be posted by themselves
 */
export async function beginComparison(context: OperatorContext, rain: Pick<BookedRain, 'id' | 'settledAt'>, areDead: (entries: readonly LogEntry[]) => Promise<boolean[]>) {
  const credits = await readCredits(context, rain.id);
  const packetOf = new Map([...credits].map(([redPacketId, { userId }]) => [userId, redPacketId]));
  const isDiscarded = await readDiscardedLetters(context, rain.id);
  // Reads the rain again before it denies a claim, so that a top-up which comes meanwhile makes no difference.
  const check = createPlanCheck(context.ledger, () => {});
  const matched = new Set<string>();
  const absent: (Replayed & { ok: true })[] = [];
  const diff: ReplayDiff = { entries: 0, counts: { missing: 0, only_in_book: 0, differs: 0, unreadable: 0, not_in_plan: 0 }, first: [], pending: 0, firstPending: [], discardedClaims: 0 };

  function note(kind: Difference['kind'], sentence: string): void {
    diff.counts[kind]++;
    if (diff.first.length < LISTED_MAX) diff.first.push({ kind, sentence });
  }

  return {
    /** Takes the next entry of the log. @throws when the plan in the ledger is not the promised one */
    async compare(replayed: Replayed): Promise<void> {
      diff.entries++;
      if (isDiscarded(replayed)) return void diff.discardedClaims++;
      if (!replayed.ok) return note('unreadable', `entry ${replayed.index} of shard ${replayed.shard} is not a claim of this rain: ${replayed.reason}`);
      const { redPacketId, userId, amount } = replayed.claim;
      const credit = credits.get(redPacketId);
      const other = packetOf.get(userId);
      if (credit?.userId === userId) matched.add(redPacketId);
      const why = await falsehoodOf(check, replayed.claim);
      if (why !== undefined) {
        const place = `entry ${replayed.index} of shard ${replayed.shard}`;
        return note('not_in_plan', `${place} says that ${userId} won ${redPacketId}, ${amount}; ${why}${credit?.userId === userId ? '; it is credited' : ''}`);
      }
      const conflict = contradiction(replayed.claim, credit, other);
      if (conflict !== undefined) return note('differs', conflict);
      if (!credit) absent.push(replayed);
      else if (credit.cents !== parseMoney(amount)) note('differs', `${redPacketId} of ${userId} is ${amount} in the log and ${formatMoney(credit.cents)} in the ledger`);
    },
    /** Call it after the last entry. */
    async end(): Promise<ReplayDiff> {
      for (const [redPacketId, { userId, cents }] of credits) {
        if (!matched.has(redPacketId)) note('only_in_book', `${redPacketId}, ${formatMoney(cents)} credited to ${userId}, is not credited to that user in the log`);
      }
      for (let at = 0; at < absent.length; at += DEAD_PAGE) {
        const page = absent.slice(at, at + DEAD_PAGE);
        const dead = await areDead(page);
        page.forEach(({ claim: { redPacketId, userId, amount } }, i) => {
          const sentence = `${redPacketId}, ${amount} won by ${userId}`;
          if (rain.settledAt !== undefined || dead[i]) return note('missing', `${sentence}, is not in the ledger${dead[i] ? '; it is a dead letter' : ', which is settled'}`);
          diff.pending++;
          if (diff.firstPending.length < LISTED_MAX) diff.firstPending.push(sentence);
        });
      }
      return diff;
    },
  };
}

/** What the plan says instead; `undefined`: it holds the claim. */
async function falsehoodOf(check: PlanCheck, claim: Claim): Promise<string | undefined> {
  const [verdict] = await check(claim.rainId, [claim]) ?? [];
  if (!verdict) throw new Error(`the ledger has no rain ${claim.rainId} any more`);
  return verdict.outcome === 'ok' ? undefined : whyNotInPlan(claim, verdict);
}

/** The ledger has the packet with another user, or the user with another packet: this claim can never be posted. */
function contradiction({ redPacketId, userId }: Claim, credit: Posted | undefined, other: string | undefined): string | undefined {
  if (credit && credit.userId !== userId) return `${redPacketId} was won by ${userId} and is credited to ${credit.userId}`;
  if (!credit && other !== undefined) return `${redPacketId} was won by ${userId}, who is credited with ${other}`;
  return undefined;
}

export function isEmpty({ counts }: ReplayDiff): boolean {
  return Object.values(counts).every((count) => count === 0);
}
