import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toLuckiest, type Luckiest } from '../../../client-demo/src/leaderboard/luckiest.ts';
import { Leaderboard } from '../../../client-demo/src/leaderboard/leaderboard.ts';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

const SOFAR: Luckiest = { luckiest: [{ user: 'a***', amount: '1.00' }], final: false };

test('asks when the rain is over, not all pages at once, again until it is final, and then no more', async () => {
  const answers = [SOFAR, SOFAR, { ...SOFAR, final: true }];
  const asked: string[] = [];
  const leaderboard = new Leaderboard({ random: () => 0.5, read: async (rainId) => { asked.push(rainId); return answers[asked.length - 1]!; } });
  leaderboard.tell(undefined);
  for (let i = 0; i < 10; i++) leaderboard.tell('r');
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([asked, leaderboard.found]).toEqual([['r'], SOFAR]);
  await vi.advanceTimersByTimeAsync(600_000);
  expect([asked.length, leaderboard.found?.final]).toEqual([3, true]);
});

test('[R10] gives up where nobody answers, and keeps what it has heard', async () => {
  let asked = 0;
  const leaderboard = new Leaderboard({ random: () => 0, read: () => (++asked === 1 ? Promise.resolve(SOFAR) : Promise.reject(new Error('away'))) });
  leaderboard.tell('r');
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect([asked, leaderboard.found]).toEqual([8, SOFAR]);
});

test('another rain is another leaderboard: an answer of the last one that comes late is not shown', async () => {
  let answer = (_found: Luckiest) => {};
  const leaderboard = new Leaderboard({ random: () => 0, read: () => new Promise((resolve) => { answer = resolve; }) });
  leaderboard.tell('first');
  await vi.advanceTimersByTimeAsync(1);
  leaderboard.tell('second');
  answer({ ...SOFAR, final: true });
  await vi.advanceTimersByTimeAsync(1);
  expect(leaderboard.found).toBeUndefined();
});

test('what is no leaderboard is none, and more than three places are not shown', () => {
  for (const value of [undefined, null, 1, {}, { luckiest: 'x' }]) expect(toLuckiest(value)).toBeUndefined();
  expect(toLuckiest({ luckiest: [null, { user: 1, amount: '1' }, ...Array.from({ length: 5 }, () => ({ user: 'u', amount: '1.00', redPacketId: 'p' }))] }))
    .toEqual({ luckiest: Array.from({ length: 3 }, () => ({ user: 'u', amount: '1.00' })), final: false });
});
