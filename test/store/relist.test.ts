import { expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { lastingKeys, LIVE_RAINS_KEY, SETTLED_RAINS_KEY, shardKeys } from '../../src/store/keys.ts';
import { close, relist, settle } from '../../src/store/transitions.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const { redis } = await openRedis();
const TTL_MS = 60_000;

/** The keys that are there, with their time to live: ms, -1 never expires. */
async function timesToLive(rainId: string, shards: number): Promise<number[]> {
  const keys = Array.from({ length: shards }, (_, shard) => lastingKeys(rainId, shard)).flat();
  return (await Promise.all(keys.map((key) => redis.pttl(key)))).filter((ms) => ms !== -2);
}

async function settledRain(rainId: string): Promise<{ shards: number; title: string }> {
  const live = { shards: 2, title: rainId };
  await stockRain(redis, { rainId, shards: 2, amounts: ['1.00', '1.00', '1.00', '1.00'] });
  for (const shard of [0, 1])
    await createGrabEngine(redis, (fault) => {
      throw fault;
    }).grab(rainId, shard, [`ann-${shard}`]);
  await close(redis, rainId, 2, 'early');
  expect(await settle(redis, rainId, live, { ttlMs: TTL_MS })).toBe(true);
  return live;
}

test('[R8] a settled rain that is live again does not expire before its claims are credited, and expires once it is settled again', async () => {
  const live = await settledRain('again');
  expect((await timesToLive('again', 2)).every((ms) => ms > 0)).toBe(true);
  expect(await relist(redis, 'again', live)).toBe(true);
  const kept = await timesToLive('again', 2);
  expect(kept.length).toBeGreaterThanOrEqual(8);
  expect(new Set(kept)).toEqual(new Set([-1]));
  expect([await redis.hexists(LIVE_RAINS_KEY, 'again'), await redis.hexists(SETTLED_RAINS_KEY, 'again')]).toEqual([
    1, 0,
  ]);
  expect(await settle(redis, 'again', live, { ttlMs: TTL_MS })).toBe(true);
  const ending = await timesToLive('again', 2);
  expect([ending.length, ending.every((ms) => ms > 0 && ms <= TTL_MS)]).toEqual([kept.length, true]);
  // Settled once more, it does not live longer.
  for (const key of lastingKeys('again', 0)) await redis.pexpire(key, 1_000);
  await settle(redis, 'again', live, { ttlMs: TTL_MS });
  expect(await redis.pttl(shardKeys('again', 0).state)).toBeLessThanOrEqual(1_000);
});

test('a rain whose keys have expired in part is not live again, and the rest of them is kept as it is', async () => {
  const live = await settledRain('part');
  await redis.del(shardKeys('part', 1).state);
  expect(await relist(redis, 'part', live)).toBe(false);
  expect(await redis.hexists(LIVE_RAINS_KEY, 'part')).toBe(0);
  expect((await timesToLive('part', 2)).every((ms) => ms > 0)).toBe(true);
});
