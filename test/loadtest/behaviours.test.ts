import { expect, test } from 'vitest';
import { whyTooMany } from '../../src/loadtest/processes/openFiles.ts';
import { openFilesMax } from '../../src/platform/process/openFiles.ts';
import { behavioursOf } from '../../src/loadtest/bots/behaviours.ts';

const SEED = '4ab1'.repeat(16);

test('shares are exact, and the seed decides the behaviour of each user', () => {
  const behaviours = behavioursOf({ flaky: 0.1, slow: 0.05, cheaters: 0.01 }, 1_000, SEED);
  const count = (behaviour: string) => behaviours.filter((other) => other === behaviour).length;
  expect([count('flaky'), count('slow'), count('cheater'), count('good')]).toEqual([100, 50, 10, 840]);
  expect(behavioursOf({ flaky: 0.1, slow: 0.05, cheaters: 0.01 }, 1_000, SEED)).toEqual(behaviours);
  expect(behaviours.slice(0, 500)).toContain('flaky');
  expect(behaviours.slice(500)).toContain('flaky');
});

test.each([
  [{ flaky: -0.1, slow: 0, cheaters: 0 }],
  [{ flaky: 0.5, slow: 0.4, cheaters: 0.2 }],
  [{ flaky: NaN, slow: 0, cheaters: 0 }],
])('[R12] %j are no shares', (shares) => {
  expect(() => behavioursOf(shares, 10, SEED)).toThrow(RangeError);
});

test('[R10] no process opens more than 18,000 sockets, and the limit of the system is checked before', () => {
  expect(whyTooMany(18_000, 1, 20_000)).toBeUndefined();
  expect(whyTooMany(60_000, 4, 20_000)).toBeUndefined();
  expect(whyTooMany(18_001, 1, 1_000_000)).toBe(
    'users: 18001 sockets in 1 process: a process holds at most 18000, expected at least 2 processes',
  );
  expect(whyTooMany(2_000, 1, 1_024)).toBe(
    'users: 2000 sockets in 1 process: a process may open only 1024 files here; raise it with ulimit -n 2100, or use at least 3 processes',
  );
  expect(whyTooMany(2_000, 3, 1_024)).toBeUndefined();
  expect(whyTooMany(18_000, 1, undefined)).toBeUndefined();
  expect(
    openFilesMax(
      () =>
        'Max processes  95  95  processes\nMax open files            1024                 4096                 files',
    ),
  ).toBe(1_024);
  expect(
    openFilesMax(() => {
      throw new Error('no such file');
    }),
  ).toBeUndefined();
});
