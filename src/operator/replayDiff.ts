import type { LogEntry } from '../credit/deadLetter.ts';
import { whyNotInPlan } from '../credit/plannedOnly.ts';
import { createPlanCheck, type PlanCheck } from '../ledger/planCheck.ts';
import type { BookedCredit } from '../ledger/book.ts';
import type { BookedRain } from '../ledger/rains.ts';
import type { Claim } from '../rain/claim.ts';
import { formatMoney, parseMoney } from '../rain/money.ts';
import { creditPages, readDiscardedLetters } from './audit/booked.ts';
import { createUserDigest, createUserSet } from './audit/userDigest.ts';
import type { OperatorContext } from './context.ts';
import type { Replayed } from './replay.ts';

/**
 * Differences that will not resolve by themselves: `missing` in the log but not in the ledger, and nothing is on the
 * way · `only_in_book` in the ledger but not in the log · `differs` the ledger has credited the packet, or the user,
 * differently · `unreadable` not a claim of this rain · `not_in_plan` a claim to a packet or an amount that the plan
 * does not have, credited or not [R14]
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
/** Entries that are compared at once. */
const PAGE = 500;

type LoggedClaim = Replayed & { ok: true };

/**
 * Begin it BEFORE reading the log: every credit was in the log earlier, so a claim that moves meanwhile is not reported
 * as a difference. Each credit takes a few bytes; those that speak against a claim are read from the ledger.
 * @param areDead which of these entries are dead-lettered, in order: they will not be posted by themselves
 */
export async function beginComparison(
  context: OperatorContext,
  rain: Pick<BookedRain, 'id' | 'settledAt'>,
  areDead: (entries: readonly LogEntry[]) => Promise<boolean[]>,
) {
  const digestOf = createUserDigest();
  const [credits, matched] = [createUserSet(digestOf), createUserSet(digestOf)];
  for await (const page of creditPages(context, rain.id)) page.forEach((credit) => credits.add(nameOf(credit)));
  const isDiscarded = await readDiscardedLetters(context, rain.id);
  // Reads the rain again before it denies a claim, so that a top-up which comes meanwhile makes no difference.
  const check = createPlanCheck(context.ledger, () => {});
  const diff: ReplayDiff = {
    entries: 0,
    counts: { missing: 0, only_in_book: 0, differs: 0, unreadable: 0, not_in_plan: 0 },
    first: [],
    pending: 0,
    firstPending: [],
    discardedClaims: 0,
  };
  let waiting: Replayed[] = [];

  function note(kind: Difference['kind'], sentence: string): void {
    diff.counts[kind]++;
    if (diff.first.length < LISTED_MAX) diff.first.push({ kind, sentence });
  }

  async function comparePage(page: readonly Replayed[]): Promise<void> {
    diff.entries += page.length;
    const explained = new Set(page.filter(isDiscarded));
    diff.discardedClaims += explained.size;
    const claims = page.filter((one): one is LoggedClaim => one.ok && !explained.has(one));
    const against = await readAgainst(
      context,
      rain.id,
      claims.filter(({ claim }) => !credits.has(nameOf(creditOf(claim)))),
    );
    const verdicts = new Map<Replayed, string | undefined>(await falsehoodsOf(check, rain.id, claims));
    const absent: LoggedClaim[] = [];
    for (const one of page) {
      if (explained.has(one)) continue;
      if (!one.ok) {
        note('unreadable', `entry ${one.index} of shard ${one.shard} is not a claim of this rain: ${one.reason}`);
        continue;
      }
      const { redPacketId, userId, amount } = one.claim;
      const own = creditOf(one.claim);
      const credit = credits.has(nameOf(own)) ? own : against.ofPacket.get(redPacketId);
      const isPaid = credit?.userId === userId;
      if (isPaid && credits.has(nameOf(credit))) matched.add(nameOf(credit));
      const why = verdicts.get(one);
      const conflict = contradiction(one.claim, credit, against.ofUser.get(userId)?.redPacketId);
      if (why !== undefined)
        note(
          'not_in_plan',
          `entry ${one.index} of shard ${one.shard} says that ${userId} won ${redPacketId}, ${amount}; ${why}${isPaid ? '; it is credited' : ''}`,
        );
      else if (conflict !== undefined) note('differs', conflict);
      else if (!credit) absent.push(one);
      else if (credit.amountCents !== own.amountCents)
        note(
          'differs',
          `${redPacketId} of ${userId} is ${amount} in the log and ${formatMoney(credit.amountCents)} in the ledger`,
        );
    }
    const dead = absent.length === 0 ? [] : await areDead(absent);
    absent.forEach(({ claim: { redPacketId, userId, amount } }, i) => {
      const sentence = `${redPacketId}, ${amount} won by ${userId}`;
      if (rain.settledAt !== undefined || dead[i])
        return note(
          'missing',
          `${sentence}, is not in the ledger${dead[i] ? '; it is a dead letter' : ', which is settled'}`,
        );
      diff.pending++;
      if (diff.firstPending.length < LISTED_MAX) diff.firstPending.push(sentence);
    });
  }

  async function compareWaiting(): Promise<void> {
    const page = waiting;
    waiting = [];
    if (page.length > 0) await comparePage(page);
  }

  return {
    /** Takes the next entry of the log. @throws when the plan in the ledger is not the promised one */
    async compare(replayed: Replayed): Promise<void> {
      if (waiting.push(replayed) >= PAGE) await compareWaiting();
    },
    /** Call it after the last entry. */
    async end(): Promise<ReplayDiff> {
      await compareWaiting();
      if (matched.size() < credits.size()) {
        for await (const page of creditPages(context, rain.id)) {
          // Credits since the beginning may be behind the end of the log.
          for (const credit of page.filter((one) => credits.has(nameOf(one)) && !matched.has(nameOf(one)))) {
            note(
              'only_in_book',
              `${credit.redPacketId}, ${formatMoney(credit.amountCents)} credited to ${credit.userId}, is not credited to that user in the log`,
            );
          }
        }
      }
      return diff;
    },
  };
}

function creditOf({ redPacketId, userId, amount }: Claim): BookedCredit {
  return { redPacketId, userId, amountCents: parseMoney(amount)! };
}

/** No id has a line break. */
const nameOf = ({ redPacketId, userId, amountCents }: BookedCredit): string =>
  `${redPacketId}\n${userId}\n${amountCents}`;

interface Against {
  ofPacket: ReadonlyMap<string, BookedCredit>;
  ofUser: ReadonlyMap<string, BookedCredit>;
}

/** The credits of the packets of these claims, and to their users. */
async function readAgainst(
  { ledger }: OperatorContext,
  rainId: string,
  claims: readonly LoggedClaim[],
): Promise<Against> {
  const asked = {
    redPacketIds: claims.map(({ claim }) => claim.redPacketId),
    userIds: claims.map(({ claim }) => claim.userId),
  };
  const found = claims.length === 0 ? [] : await ledger.creditsTo(rainId, asked);
  return {
    ofPacket: new Map(found.map((credit) => [credit.redPacketId, credit])),
    ofUser: new Map(found.map((credit) => [credit.userId, credit])),
  };
}

/** The plan's word against each claim; `undefined`: it holds the claim. */
async function falsehoodsOf(
  check: PlanCheck,
  rainId: string,
  logged: readonly LoggedClaim[],
): Promise<(readonly [LoggedClaim, string | undefined])[]> {
  const verdicts = await check(
    rainId,
    logged.map(({ claim }) => claim),
  );
  if (!verdicts) throw new Error(`the ledger has no rain ${rainId} any more`);
  return logged.map((one, i) => {
    const verdict = verdicts[i]!;
    return [one, verdict.outcome === 'ok' ? undefined : whyNotInPlan(one.claim, verdict)];
  });
}

/** The ledger has the packet with another user, or the user with another packet: this claim can never be posted. */
function contradiction(
  { redPacketId, userId }: Claim,
  credit: BookedCredit | undefined,
  other: string | undefined,
): string | undefined {
  if (credit && credit.userId !== userId)
    return `${redPacketId} was won by ${userId} and is credited to ${credit.userId}`;
  if (!credit && other !== undefined) return `${redPacketId} was won by ${userId}, who is credited with ${other}`;
  return undefined;
}

export function isEmpty({ counts }: ReplayDiff): boolean {
  return Object.values(counts).every((count) => count === 0);
}
