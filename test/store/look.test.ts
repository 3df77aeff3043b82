import { expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { readRain } from '../../src/store/rains.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const { redis } = await openRedis();
const engine = createGrabEngine(redis, (error) => {
  throw error;
});
const live = { shards: 2, title: 'seen' };

test('a rain is read with one command per shard', async () => {
  await stockRain(redis, { rainId: 'seen', amounts: ['1.00', '2.00', '3.00', '4.00'], shards: 2 });
  await engine.grab('seen', 1, ['ann']);
  await redis.set(shardKeys('seen', 1).relayed, '1');
  await readRain(redis, 'seen', live);
  const rain = await readRain(redis, 'seen', live);
  const calls = /^cmdstat_evalsha:calls=(\d+)/m.exec(await redis.info('commandstats'))![1];
  await readRain(redis, 'seen', live);
  expect(Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(await redis.info('commandstats'))![1]) - Number(calls)).toBe(2);
  expect(rain).toMatchObject({
    state: 'loaded',
    packets: 4,
    left: 3,
    claims: 1,
    spoiled: 0,
    relayed: 1,
    drained: false,
  });
  expect(rain!.newest).toMatch(/^\n\{.*"userId":"ann".*\}\n$/);
});

test.each([
  ['gone', (state: string) => redis.del(state)],
  ['of another type', (state: string) => redis.multi().del(state).set(state, 'x').exec()],
  ['larger than ours can be', (state: string) => redis.hset(state, 'plan', 'x'.repeat(4_194_304))],
])('[R10] a shard whose state is %s makes the rain one that there is not', async (name, act) => {
  const rainId = name.replaceAll(' ', '-');
  await stockRain(redis, { rainId, amounts: ['1.00', '2.00'], shards: 2 });
  await act(shardKeys(rainId, 1).state);
  expect(await readRain(redis, rainId, live)).toBeUndefined();
});
