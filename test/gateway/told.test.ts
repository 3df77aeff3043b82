import { expect, test } from 'vitest';
import type { ToldClaim } from '../../src/grab/restore.ts';
import { Told } from '../../src/gateway/told.ts';

const win = (userId: string, at: number, redPacketId = `p-${userId}`): ToldClaim => ({ rainId: 'r1', shard: 0, userId, redPacketId, amount: '1.00', at });
const users = (told: Told) => [...told].map(({ userId }) => userId);

test('[R10] a gateway remembers the last wins only, so many and so long', () => {
  const told = new Told(3);
  for (const userId of ['ann', 'bob', 'eve', 'joe']) told.add(win(userId, 1_000));
  expect(users(told)).toEqual(['bob', 'eve', 'joe']);
  told.add(win('zoe', 121_000));
  expect(users(told)).toEqual(['eve', 'joe', 'zoe']);
  told.add(win('kim', 121_001));
  expect(users(told)).toEqual(['zoe', 'kim']);
});

test('a win that is told again is one win, and among the last ones', () => {
  const told = new Told(2);
  for (const userId of ['ann', 'bob', 'ann', 'ann', 'eve']) told.add(win(userId, 1_000));
  expect(users(told)).toEqual(['ann', 'eve']);
});

test('two packets told to one user are both remembered: which of them stands is not for the gateway to say', () => {
  const told = new Told();
  told.add(win('ann', 1_000, 'r1-0'));
  told.add(win('ann', 1_001, 'r1-7'));
  expect([...told].map(({ redPacketId }) => redPacketId)).toEqual(['r1-0', 'r1-7']);
});
