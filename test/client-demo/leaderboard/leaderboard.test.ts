import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Leaderboard, toLuckiest, type Luckiest } from '../../../client-demo/src/leaderboard/leaderboard.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SOFAR: Luckiest = { luckiest: [{ user: 'a***', amount: '1.00' }], final: false };

test('is requested after a random delay when the rain is over, repeatedly until it is final', async () => {
  const answers = [SOFAR, SOFAR, { ...SOFAR, final: true }];
  const requested: string[] = [];
  const leaderboard = new Leaderboard({
    random: () => 0.5,
    read: async (rainId) => {
      requested.push(rainId);
      return answers[requested.length - 1]!;
    },
  });
  leaderboard.follow(undefined);
  for (let i = 0; i < 10; i++) leaderboard.follow('r');
  expect(requested).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([requested, leaderboard.found]).toEqual([['r'], SOFAR]);
  await vi.advanceTimersByTimeAsync(600_000);
  expect([requested.length, leaderboard.found?.final]).toEqual([3, true]);
});

test('[R10] gives up if there is no answer, and keeps the last list', async () => {
  let requested = 0;
  const leaderboard = new Leaderboard({
    random: () => 0,
    read: () => (++requested === 1 ? Promise.resolve(SOFAR) : Promise.reject(new Error('away'))),
  });
  leaderboard.follow('r');
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect([requested, leaderboard.found]).toEqual([8, SOFAR]);
});

test('a late answer about the previous rain is not shown', async () => {
  let answer = (_found: Luckiest) => {};
  const leaderboard = new Leaderboard({
    random: () => 0,
    read: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  leaderboard.follow('first');
  await vi.advanceTimersByTimeAsync(1);
  leaderboard.follow('second');
  answer({ ...SOFAR, final: true });
  await vi.advanceTimersByTimeAsync(1);
  expect(leaderboard.found).toBeUndefined();
});

test('an invalid answer is ignored, and at most three places are shown', () => {
  for (const value of [undefined, null, 1, {}, { luckiest: 'x' }]) expect(toLuckiest(value)).toBeUndefined();
  expect(
    toLuckiest({
      luckiest: [
        null,
        { user: 1, amount: '1' },
        ...Array.from({ length: 5 }, () => ({ user: 'u', amount: '1.00', redPacketId: 'p' })),
      ],
    }),
  ).toEqual({
    luckiest: Array.from({ length: 3 }, () => ({ user: 'u', amount: '1.00', redPacketId: 'p' })),
    final: false,
  });
});
