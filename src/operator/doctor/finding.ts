/** One thing that was looked at. */
export interface Finding {
  subject: 'redis' | 'database';
  /** What was looked at, in two or three words. */
  name: string;
  /** `wrong`: do not start like this; `warning`: it works, and something is risked or could not be checked. */
  verdict: 'ok' | 'warning' | 'wrong';
  found: string;
  expected: string;
  /** What to set; only where it is not ok. */
  advice?: string;
}

const NOT_TOLD = 'could not be checked';

/** Settings that a server will not tell are no fault of it, and yet nobody knows. */
export function untold(subject: Finding['subject'], name: string, expected: string): Finding {
  return { subject, name, verdict: 'warning', found: NOT_TOLD, expected, advice: `the server does not tell; make sure of it yourself: ${expected}` };
}

/** Clocks apart: `wrong` where tokens and windows would be judged by another time than people see. */
const SKEW_MS = { warning: 1_000, wrong: 30_000 } as const;

/** @param aheadMs the server's clock minus this machine's */
export function judgeClock(subject: Finding['subject'], aheadMs: number): Finding {
  const apart = Math.abs(aheadMs);
  const verdict = apart > SKEW_MS.wrong ? 'wrong' : apart > SKEW_MS.warning ? 'warning' : 'ok';
  return {
    subject, name: 'clock', verdict, found: `${apart} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`, expected: `within ${SKEW_MS.warning} ms`,
    ...(verdict !== 'ok' && { advice: 'synchronise both clocks (NTP)' }),
  };
}
