/** The result of one check. */
export interface Finding {
  subject: 'redis' | 'database' | 'wallet' | 'shop';
  /** The checked setting, in two or three words. */
  name: string;
  /** `wrong`: do not start with this; `warning`: it works, but there is a risk or it could not be checked. */
  verdict: 'ok' | 'warning' | 'wrong';
  found: string;
  expected: string;
  /** The change to make; only when the verdict is not ok. */
  advice?: string;
}

/** The advice is dropped when the verdict is ok. */
const findOn =
  (subject: Finding['subject']) =>
  (name: string, verdict: Finding['verdict'], found: string, expected: string, advice: string): Finding => ({
    subject,
    name,
    verdict,
    found,
    expected,
    ...(verdict !== 'ok' && { advice }),
  });

export const findOnRedis = findOn('redis');
export const findOnDatabase = findOn('database');
export const findOnWallet = findOn('wallet');
export const findOnShop = findOn('shop');

/** A setting that Redis does not report: not an error, but unknown. */
export function unknownSetting(name: string, expected: string): Finding {
  return findOnRedis(
    name,
    'warning',
    'could not be checked',
    expected,
    `the server does not report it; check it yourself: ${expected}`,
  );
}

/** Clock difference. `wrong`: tokens and windows would be checked against another time than people see. */
const SKEW_MS = { warning: 1_000, wrong: 30_000 } as const;
export const CLOCK = `within ${SKEW_MS.warning} ms`;

/** @param aheadMs the server's clock minus this machine's */
export function checkClock(subject: Finding['subject'], aheadMs: number): Finding {
  const apart = Math.abs(aheadMs);
  const verdict = apart > SKEW_MS.wrong ? 'wrong' : apart > SKEW_MS.warning ? 'warning' : 'ok';
  const found = `${apart} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`;
  return findOn(subject)('clock', verdict, found, CLOCK, 'synchronise both clocks (NTP)');
}

/** Findings of both looks: one alone may have met a step half-way. */
export function both(first: readonly string[], second: readonly string[]): string[] {
  return first.filter((one) => second.includes(one));
}

/** Ids that one finding names [R10]. */
const NAMED_MAX = 10;

export function named(ids: readonly string[]): string {
  return ids.length > NAMED_MAX
    ? `${ids.slice(0, NAMED_MAX).join(', ')} and ${ids.length - NAMED_MAX} more`
    : ids.join(', ');
}
