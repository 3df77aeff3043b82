import { expect, test } from 'vitest';
import type { SentWin } from '../../../src/grab/restore.ts';
import { RecentWins } from '../../../src/gateway/durability/recentWins.ts';

const win = (userId: string, at: number, redPacketId = `p-${userId}`): SentWin => ({ rainId: 'r1', shard: 0, userId, redPacketId, amount: '1.00', at });
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

test('[R10] a win is kept for at least one minute and at most two', () => {
  const recentWins = new RecentWins();
  recentWins.add(win('ann', 100_000));
  recentWins.add(win('bob', 159_999));
  recentWins.add(win('eve', 160_000));
  expect(users(recentWins)).toEqual(['ann', 'bob', 'eve']);
  recentWins.add(win('joe', 220_000));
  expect(users(recentWins)).toEqual(['eve', 'joe']);
});

test('a win that is sent repeatedly is one win, and is kept anew', () => {
  const recentWins = new RecentWins();
  for (let at = 100_000; at < 220_000; at += 1_000) recentWins.add(win('ann', at));
  recentWins.add(win('bob', 221_000));
  expect(users(recentWins)).toEqual(['ann', 'bob']);
});

test('two packets sent to one user are both kept: the gateway does not decide which one counts', () => {
  const recentWins = new RecentWins();
  recentWins.add(win('ann', 1_000, 'r1-0'));
  recentWins.add(win('ann', 1_001, 'r1-7'));
  expect([...recentWins].map(({ redPacketId }) => redPacketId)).toEqual(['r1-0', 'r1-7']);
});
