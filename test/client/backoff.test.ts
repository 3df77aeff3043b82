import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECONNECT } from '../../src/client/backoff.ts';
import { delayBeforeRetry } from '../../src/platform/network/backoff.ts';

test('[R10] a pause is at least half of its step, at most its maximum, however many tries failed', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, chance) => {
      const step = Math.min(RECONNECT.delayMsMax, RECONNECT.firstDelayMs * 2 ** attempt);
      const pause = delayBeforeRetry(attempt + 1, RECONNECT, () => chance);
      expect(pause).toBeGreaterThanOrEqual(step / 2);
      expect(pause).toBeLessThanOrEqual(step);
    }),
  );
});

test('pages that are disconnected together do not reconnect together', () => {
  const pauses = Array.from({ length: 100 }, (_, i) => delayBeforeRetry(4, RECONNECT, () => i / 100));
  expect(new Set(pauses).size).toBe(100);
});
