import { formatMoney, parseMoney } from '../rain/money.ts';
import { readCredits, type Posted } from './audit/booked.ts';
import { readDiscardedLetters } from './audit/discarded.ts';
import type { OperatorContext } from './context.ts';
import type { Replayed } from './replay.ts';

/**
 * How the claim log and the book differ in what will not heal by itself:
 * `missing` the log has it, the book does not, and nobody is on the way to post it · `only_in_book` the other way round ·
 * `differs` the book has given the packet, or the user, something else · `unreadable` the entry is no claim of this rain
 */
interface Difference {
  kind: 'missing' | 'only_in_book' | 'differs' | 'unreadable';
  sentence: string;
}

export interface ReplayDiff {
  entries: number;
  /** All of them, by kind, and the first hundred. */
  counts: Record<Difference['kind'], number>;
  first: Difference[];
  /** Won, on their way to the book: not a difference as long as the rain is not settled. */
  pending: number;
  firstPending: string[];
  /** Entries that the operator has given up, with a reason: explained, so no difference. */
  discardedClaims: number;
}

export interface Comparison {
  /** To be handed every entry of the log. */
  meet(replayed: Replayed): void;
  /** When the log is read to its end. */
  end(): Promise<ReplayDiff>;
}

interface ComparisonParts {
  context: OperatorContext;
  rain: { id: string; settledAt?: number };
  /** Which of these entries lie with the dead letters, in order: they will not be posted by themselves. */
  areDead: (shard: number, entries: readonly { index: number; entry: string }[]) => Promise<boolean[]>;
}

const TOLD_MAX = 100;
const DEAD_PAGE = 500;

/**
 * Compares the log with the book as the book stands now. To be begun BEFORE the log is read: what is in the book by now was
 * in the log before, so that nothing is taken for a difference that only moved meanwhile.
 */
export async function beginComparison({ context, rain, areDead }: ComparisonParts): Promise<Comparison> {
  const credits = await readCredits(context, rain.id);
  const packetOf = new Map([...credits].map(([redPacketId, { userId }]) => [userId, redPacketId]));
  const isResting = await readDiscardedLetters(context, rain.id);
  const met = new Set<string>();
  const absent: (Replayed & { ok: true })[] = [];
  const diff: ReplayDiff = { entries: 0, counts: { missing: 0, only_in_book: 0, differs: 0, unreadable: 0 }, first: [], pending: 0, firstPending: [], discardedClaims: 0 };

  function note(kind: Difference['kind'], sentence: string): void {
    diff.counts[kind]++;
    if (diff.first.length < TOLD_MAX) diff.first.push({ kind, sentence });
  }

  return {
    meet(replayed) {
      diff.entries++;
      if (isResting({ rainId: rain.id, ...replayed })) return void diff.discardedClaims++;
      if (!replayed.ok) return note('unreadable', `entry ${replayed.index} of shard ${replayed.shard} is no claim of this rain: ${replayed.reason}`);
      const { redPacketId, userId, amount } = replayed.claim;
      const credit = credits.get(redPacketId);
      const other = packetOf.get(userId);
      if (credit?.userId === userId) met.add(redPacketId);
      const told = contradiction(replayed.claim, credit, other);
      if (told !== undefined) return note('differs', told);
      if (!credit) absent.push(replayed);
      else if (credit.cents !== parseMoney(amount)) note('differs', `${redPacketId} of ${userId} is ${amount} in the log and ${formatMoney(credit.cents)} in the book`);
    },
    async end() {
      for (const [redPacketId, { userId, cents }] of credits) {
        if (!met.has(redPacketId)) note('only_in_book', `${redPacketId}, ${formatMoney(cents)} credited to ${userId}, is not that user\'s in the log`);
      }
      for (let at = 0; at < absent.length; at += DEAD_PAGE) {
        const page = absent.slice(at, at + DEAD_PAGE);
        const dead = await deadAmong(page);
        page.forEach(({ claim: { redPacketId, userId, amount } }, i) => {
          const sentence = `${redPacketId}, ${amount} won by ${userId}`;
          if (rain.settledAt !== undefined || dead[i]) return note('missing', `${sentence}, is not in the book${dead[i] ? '; it lies with the dead letters' : ', which is closed'}`);
          diff.pending++;
          if (diff.firstPending.length < TOLD_MAX) diff.firstPending.push(sentence);
        });
      }
      return diff;
    },
  };

  async function deadAmong(page: readonly Replayed[]): Promise<boolean[]> {
    const dead = new Map<Replayed, boolean>();
    for (const shard of new Set(page.map((replayed) => replayed.shard))) {
      const here = page.filter((replayed) => replayed.shard === shard);
      const answers = await areDead(shard, here);
      here.forEach((replayed, i) => dead.set(replayed, answers[i] ?? false));
    }
    return page.map((replayed) => dead.get(replayed)!);
  }
}

/** The book has the packet with another user, or the user with another packet: this claim can never be posted. */
function contradiction({ redPacketId, userId }: { redPacketId: string; userId: string }, credit: Posted | undefined, other: string | undefined): string | undefined {
  if (credit && credit.userId !== userId) return `${redPacketId} was won by ${userId} and is credited to ${credit.userId}`;
  if (!credit && other !== undefined) return `${redPacketId} was won by ${userId}, who is credited with ${other}`;
  return undefined;
}

export function isEmpty({ counts }: ReplayDiff): boolean {
  return Object.values(counts).every((count) => count === 0);
}
