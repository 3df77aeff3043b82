import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RestartLimit } from '../../../src/platform/process/restartLimit.ts';

const backoff = { firstDelayMs: 250, delayMsMax: 5_000 };

test('each replacement within a minute waits longer, and a quiet minute forgives all', () => {
  let at = 0;
  const replacements = new RestartLimit({ perMinuteMax: 10, backoff, now: () => at, random: () => 1 });
  expect([replacements.next(), replacements.next(), replacements.next()]).toEqual([250, 500, 1_000]);
  at += 61_001;
  expect(replacements.next()).toBe(250);
});

test('[R10] however fast processes die, no minute sees more replacements than allowed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 80 }),
      fc.integer({ min: 1, max: 12 }),
      (lives, perMinuteMax) => {
        let at = 0;
        const replacements = new RestartLimit({ perMinuteMax, backoff, now: () => at, random: () => 0 });
        const begun = lives.map((livedMs) => {
          at += replacements.next();
          const moment = at;
          at += livedMs;
          return moment;
        });
        for (const [i, moment] of begun.entries())
          expect(begun.filter((other, j) => j >= i && other < moment + 60_000).length).toBeLessThanOrEqual(
            perMinuteMax,
          );
      },
    ),
  );
});
