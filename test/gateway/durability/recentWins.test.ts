import { expect, test } from 'vitest';
import type { SentWin } from '../../../src/grab/restore.ts';
import { RecentWins } from '../../../src/gateway/durability/recentWins.ts';

const win = (userId: string, at: number, redPacketId = `p-${userId}`): SentWin => ({
  rainId: 'r1',
  shard: 0,
  userId,
  redPacketId,
  amount: '1.00',
  at,
});
const users = (recentWins: RecentWins) => [...recentWins].map(({ userId }) => userId);

test('[R10] a gateway keeps only the latest wins: at most the maximum, at least half of it', () => {
  const recentWins = new RecentWins(6);
  for (let i = 0; i < 100; i++) {
    recentWins.add(win(`u${i}`, 1_000));
    const known = users(recentWins);
    expect(known.length).toBeLessThanOrEqual(6);
    expect(known).toEqual(Array.from({ length: known.length }, (_, j) => `u${i + 1 - known.length + j}`));
    if (i >= 3) expect(known.length).toBeGreaterThan(3);
  }
});

test('[R10] a win is kept for at least a quarter of an hour and at most two', () => {
  const recentWins = new RecentWins();
  recentWins.add(win('ann', 1_000_000));
  recentWins.add(win('bob', 1_899_999));
  recentWins.add(win('eve', 1_900_000));
  expect(users(recentWins)).toEqual(['ann', 'bob', 'eve']);
  recentWins.add(win('joe', 2_800_000));
  expect(users(recentWins)).toEqual(['eve', 'joe']);
});

test('a win that is sent repeatedly is one win, and is kept anew', () => {
  const recentWins = new RecentWins();
  for (let at = 1_000_000; at < 2_800_000; at += 1_000) recentWins.add(win('ann', at));
  recentWins.add(win('bob', 2_801_000));
  expect(users(recentWins)).toEqual(['ann', 'bob']);
});

test('a user who was sent a packet is told that one again, whatever another claim says since', () => {
  const recentWins = new RecentWins();
  const first = win('ann', 1_000_000, 'r1-0');
  expect(recentWins.add(first)).toBe(first);
  expect(recentWins.add(win('ann', 1_000_001, 'r1-7'))).toBe(first);
  // Also when only the older generation has it.
  expect(recentWins.add(win('bob', 1_900_000))).toMatchObject({ userId: 'bob' });
  expect(recentWins.add(win('ann', 1_900_001, 'r1-7'))).toBe(first);
  expect(recentWins.add({ ...win('ann', 1_900_002, 'r2-7'), rainId: 'r2' })).toMatchObject({ redPacketId: 'r2-7' });
  expect([...recentWins].map(({ userId, redPacketId }) => [userId, redPacketId])).toEqual([
    ['bob', 'p-bob'],
    ['ann', 'r1-0'],
    ['ann', 'r2-7'],
  ]);
});
