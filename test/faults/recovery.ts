import type { Database } from '../../src/ledger/database.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { eventually } from '../support/eventually.ts';
import type { BookWatch } from './bookWatch.ts';
import type { Crowd } from './crowd.ts';
import { judge, type Verdict } from './verdict.ts';

/** What became of one rain with a fault in it. */
export interface RunResult extends Verdict {
  recoverySeconds: number;
  /** When, in words. */
  struck: string;
}

interface Stricken {
  context: OperatorContext;
  database: Database;
  rainId: string;
  crowd: Crowd;
  book: Pick<BookWatch, 'creditedAt' | 'settledAt'>;
  /** Epoch ms, all three. */
  opensAt: number;
  closesAt: number;
  struckAt: number;
  /** Called when the system has recovered by itself, or has had its time to. */
  heal: () => Promise<void>;
}

const ANSWERED_WITHIN_MS = 60_000;
/** From the fault, or from the end of the rain if that is later. */
const SETTLED_WITHIN_MS = 90_000;
const ASKED_WITHIN_MS = 20_000;

/** Waits until everybody has his answer and the system has settled the rain by itself; then every winner asks once more, and all is weighed. */
export async function recover({ context, database, rainId, crowd, book, opensAt, closesAt, struckAt, heal }: Stricken): Promise<RunResult> {
  const unanswered = await crowd.answered(ANSWERED_WITHIN_MS);
  const timeoutMs = Math.max(0, Math.max(struckAt, closesAt) + SETTLED_WITHIN_MS - Date.now());
  const settled = await eventually(() => book.settledAt() !== undefined, { timeoutMs }).then(() => true, () => false);
  await heal();
  const forgotten = await crowd.askOnceMore(ASKED_WITHIN_MS);
  const verdict = await judge(context, database, rainId, crowd);
  return {
    ...verdict,
    problems: [
      ...unanswered.map((userId) => `${userId} never got an answer`),
      ...forgotten.map((userId) => `${userId} asked once more and was not answered`),
      ...(settled ? [] : [`not settled within ${SETTLED_WITHIN_MS / 1_000} s`]),
      ...verdict.problems,
    ],
    recoverySeconds: recoverySeconds(struckAt, closesAt, crowd, book),
    struck: `${struckAt - opensAt} ms after the opening`,
  };
}

/**
 * The longest anybody waited after the fault, seconds: a user whose line was cut for the welcome on the next, a user
 * from his first question to the answer that ended the matter, a winner from being told to the money in the book, the
 * rain from its end to its settlement. A wait that began before
 * the fault is counted from the fault; one that was over by then is not counted.
 */
export function recoverySeconds(struckAt: number, closesAt: number, crowd: Pick<Crowd, 'told'>, book: Pick<BookWatch, 'creditedAt' | 'settledAt'>): number {
  let longestMs = 0;
  const wait = (from: number | undefined, to: number | undefined) => {
    if (from !== undefined && to !== undefined) longestMs = Math.max(longestMs, to - Math.max(from, struckAt));
  };
  for (const [userId, { askedAt, answeredAt, won, awayMsMax }] of crowd.told) {
    wait(askedAt, answeredAt);
    longestMs = Math.max(longestMs, awayMsMax);
    wait(won?.at, book.creditedAt.get(userId));
  }
  wait(closesAt, book.settledAt());
  return longestMs / 1_000;
}
