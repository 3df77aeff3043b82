import { beforeEach, expect, test } from 'vitest';
import { shardKeys } from '../../src/store/keys.ts';
import { readTold, recordTold, type LostWin } from '../../src/store/told.ts';
import { openRedis } from '../support/rain.ts';
import { laterSigner, signer } from '../support/signer.ts';

const { redis } = await openRedis();
beforeEach(async () => void (await redis.flushall()));

const win = (userId: string, redPacketId = `r1-${userId}`): LostWin => ({
  userId,
  redPacketId,
  amount: '1.00',
  at: 1_795_000_000_000,
});
const lost = (userId: string, shard = 0) => ({ ...win(userId), shard });
const users = async (shards = 2) =>
  (await readTold(redis, signer, 'r1', shards)).map(({ userId, redPacketId }) => `${userId} ${redPacketId}`).sort();

test('wins that Redis has lost are written down once per user, with a receipt, for thirty days', async () => {
  expect(await recordTold(redis, signer, 'r1', [lost('ann'), lost('bob'), lost('eve', 1)])).toBe(3);
  expect(
    await recordTold(redis, signer, 'r1', [
      { ...win('ann', 'r1-other'), shard: 0, at: win('ann').at + 1 },
      lost('joe'),
    ]),
  ).toBe(2);
  expect(await readTold(redis, signer, 'r1', 1)).toContainEqual(win('ann'));
  expect(await users()).toEqual(['ann r1-ann', 'bob r1-bob', 'eve r1-eve', 'joe r1-joe']);
  expect(await redis.pttl(shardKeys('r1', 0).told)).toBeGreaterThan(29 * 86_400_000);
  expect(await readTold(redis, signer, 'r2', 2)).toEqual([]);
});

test('[R10] a thousand are written and read in parts', async () => {
  const many = Array.from({ length: 1_200 }, (_, i) => lost(`user-${i}`));
  expect(await recordTold(redis, signer, 'r1', many)).toBe(1_200);
  expect(await users()).toHaveLength(1_200);
});

test('what somebody else has written there is not read: without a genuine receipt, for another user, or not an entry at all', async () => {
  await recordTold(redis, signer, 'r1', [lost('ann')]);
  const { told } = shardKeys('r1', 0);
  const genuine = JSON.parse((await redis.hkeys(told))[0]!) as object;
  const forged = [
    { ...genuine, userId: 'eve' },
    { ...genuine, amount: '99.00' },
    { ...genuine, receipt: '' },
  ].map((entry) => JSON.stringify({ at: 1, ...entry }));
  for (const text of [...forged, 'torn']) {
    await redis.hset(told, text, '1');
    // As older versions wrote wins.
    await redis.hset(told, `former-${forged.indexOf(text)}`, text);
  }
  expect(await users()).toEqual(['ann r1-ann']);
});

test('a win that an older version has written down is read', async () => {
  const { userId, ...rest } = win('ann');
  const receipt = signer.receipt({ rainId: 'r1', ...win('ann') });
  await redis.hset(shardKeys('r1', 0).told, userId, JSON.stringify({ ...rest, receipt }));
  expect(await readTold(redis, signer, 'r1', 1)).toEqual([win('ann')]);
});

test('after the signing secret was replaced, what was written down before is read', async () => {
  await recordTold(redis, signer, 'r1', [lost('ann')]);
  await recordTold(redis, laterSigner, 'r1', [lost('bob')]);
  expect((await readTold(redis, laterSigner, 'r1', 1)).map(({ userId }) => userId).sort()).toEqual(['ann', 'bob']);
  expect((await readTold(redis, signer, 'r1', 1)).map(({ userId }) => userId)).toEqual(['ann']);
});
