import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RETRY_AFTER_MS_MAX, retryAfterMs } from '../../../src/platform/network/retryAfter.ts';

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 22, 12, 0, 0);

  test('is seconds or an HTTP date, at 429 and 503', () => {
    expect(retryAfterMs(429, '7', now)).toBe(7_000);
    expect(retryAfterMs(503, ' 0 ', now)).toBe(0);
    expect(retryAfterMs(503, 'Sun, 22 Nov 2026 12:00:30 GMT', now)).toBe(30_000);
    expect(retryAfterMs(429, 'Sun, 22 Nov 2026 11:00:00 GMT', now)).toBe(0);
    expect(retryAfterMs(500, '7', now)).toBeUndefined();
    expect(retryAfterMs(429, null, now)).toBeUndefined();
  });

  test.each(['', 'soon', '-5', '1.5', '2026-11-22T12:00:30Z', 'Sun, 99 Abc 2026 12:00:30 GMT', '5, 6'])(
    'that cannot be read (%j) says nothing',
    (header) => {
      expect(retryAfterMs(429, header, now)).toBeUndefined();
    },
  );

  test('[R10] is bounded, whatever stands in it', () => {
    const header = fc.oneof(
      fc.string(),
      fc.nat().map(String),
      fc.bigInt({ min: 0n }).map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(header, (text) => {
        const ms = retryAfterMs(503, text, now);
        if (ms !== undefined) expect(ms >= 0 && ms <= RETRY_AFTER_MS_MAX).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(retryAfterMs(503, '9'.repeat(400), now)).toBe(RETRY_AFTER_MS_MAX);
  });
});
