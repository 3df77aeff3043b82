/** The result of one check. */
export interface Finding {
  subject: 'redis' | 'database';
  /** The checked setting, in two or three words. */
  name: string;
  /** `wrong`: do not start with this; `warning`: it works, but there is a risk or it could not be checked. */
  verdict: 'ok' | 'warning' | 'wrong';
  found: string;
  expected: string;
  /** What to change; only when the verdict is not ok. */
  advice?: string;
}

const UNKNOWN = 'could not be checked';

/** A setting that the server does not report: not an error, but unknown. */
export function unknownSetting(subject: Finding['subject'], name: string, expected: string): Finding {
  return { subject, name, verdict: 'warning', found: UNKNOWN, expected, advice: `the server does not report it; check it yourself: ${expected}` };
}

/** Clock difference. `wrong`: tokens and windows would be checked against another time than people see. */
const SKEW_MS = { warning: 1_000, wrong: 30_000 } as const;

/** @param aheadMs the server's clock minus this machine's */
export function checkClock(subject: Finding['subject'], aheadMs: number): Finding {
  const apart = Math.abs(aheadMs);
  const verdict = apart > SKEW_MS.wrong ? 'wrong' : apart > SKEW_MS.warning ? 'warning' : 'ok';
  return {
    subject, name: 'clock', verdict, found: `${apart} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`, expected: `within ${SKEW_MS.warning} ms`,
    ...(verdict !== 'ok' && { advice: 'synchronise both clocks (NTP)' }),
  };
}
