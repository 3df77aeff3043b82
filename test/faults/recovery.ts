import type { Database } from '../../src/ledger/database.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { eventually } from '../support/eventually.ts';
import type { LedgerWatch } from './means/bookWatch.ts';
import type { Crowd } from './users/crowd.ts';
import { checkRain, type Excused, type Verdict } from './verdict.ts';

/** The result of one rain with a fault. */
export interface RunResult extends Verdict {
  recoverySeconds: number;
  /** When the fault struck, as text. */
  struck: string;
  /** Figures that only this fault shows, by name. */
  figures?: Record<string, number> | undefined;
}

interface FaultedRain {
  context: OperatorContext;
  database: Database;
  rainId: string;
  crowd: Crowd;
  book: Pick<LedgerWatch, 'creditedAt' | 'settledAt'>;
  /** Epoch ms, all three. */
  opensAt: number;
  closesAt: number;
  struckAt: number;
  excused?: Excused | undefined;
  /** Called when the system has recovered by itself, or has not done so in time. */
  heal: () => Promise<void>;
}

const ANSWERED_WITHIN_MS = 60_000;
/** Counted from the fault, or from the end of the rain if that is later. */
const SETTLED_WITHIN_MS = 90_000;
const ASKED_WITHIN_MS = 20_000;

/**
 * Waits for all answers and for the settlement by the system itself. Then every winner grabs once more, and the result
 * is checked.
 */
export async function recover({
  context,
  database,
  rainId,
  crowd,
  book,
  opensAt,
  closesAt,
  struckAt,
  excused,
  heal,
}: FaultedRain): Promise<RunResult> {
  const unanswered = await crowd.answered(ANSWERED_WITHIN_MS);
  const timeoutMs = Math.max(0, Math.max(struckAt, closesAt) + SETTLED_WITHIN_MS - Date.now());
  const settled = await eventually(() => book.settledAt() !== undefined, { timeoutMs }).then(
    () => true,
    () => false,
  );
  await heal();
  const forgotten = await crowd.askOnceMore(ASKED_WITHIN_MS);
  const verdict = await checkRain(context, database, rainId, crowd, excused);
  return {
    ...verdict,
    problems: [
      ...unanswered.map((userId) => `${userId} never got an answer`),
      ...forgotten.map((userId) => `${userId} grabbed once more and was not answered`),
      ...(settled ? [] : [`not settled within ${SETTLED_WITHIN_MS / 1_000} s`]),
      ...verdict.problems,
    ],
    recoverySeconds: recoverySeconds(struckAt, closesAt, crowd, book),
    struck: `${struckAt - opensAt} ms after the opening`,
  };
}

/**
 * The longest wait after the fault, seconds: from a lost connection to the next welcome, from a user's first grab to
 * the final answer, from a reported win to the credit in the ledger, or from the end of the rain to its settlement. A
 * wait that began before the fault is counted from the fault. A wait that ended before the fault is not counted.
 */
export function recoverySeconds(
  struckAt: number,
  closesAt: number,
  crowd: Pick<Crowd, 'records'>,
  book: Pick<LedgerWatch, 'creditedAt' | 'settledAt'>,
): number {
  let longestMs = 0;
  const wait = (from: number | undefined, to: number | undefined) => {
    if (from !== undefined && to !== undefined) longestMs = Math.max(longestMs, to - Math.max(from, struckAt));
  };
  for (const [userId, { askedAt, answeredAt, won, awayMsMax }] of crowd.records) {
    wait(askedAt, answeredAt);
    longestMs = Math.max(longestMs, awayMsMax);
    wait(won?.at, book.creditedAt.get(userId));
  }
  wait(closesAt, book.settledAt());
  return longestMs / 1_000;
}
