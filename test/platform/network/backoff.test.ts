import { describe, expect, it } from 'vitest';
import { delayBeforeRetry } from '../../../src/platform/network/backoff.ts';

describe('the delay before a retry', () => {
  const backoff = { firstDelayMs: 100, delayMsMax: 30_000 };

  it('doubles, is capped, and lies between half and all of it by chance', () => {
    expect([1, 2, 3, 9, 10, 40, 4_000].map((attempts) => delayBeforeRetry(attempts, backoff, () => 1))).toEqual([
      100, 200, 400, 25_600, 30_000, 30_000, 30_000,
    ]);
    expect(delayBeforeRetry(3, backoff, () => 0)).toBe(200);
    expect(delayBeforeRetry(3, backoff, () => 0.5)).toBe(300);
  });
});
