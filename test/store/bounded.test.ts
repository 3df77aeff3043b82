import { expect, test } from 'vitest';
import { RainCache } from '../../src/gateway/rains/rainCache.ts';
import { readHeartbeats, sendHeartbeat } from '../../src/store/gatewayHeartbeat.ts';
import {
  BLOCKS_KEY,
  ENDED_RAINS_KEY,
  GATEWAYS_KEY,
  LIVE_RAINS_KEY,
  SWITCHES_KEY,
  TOLD_RAINS_KEY,
  shardKeys,
} from '../../src/store/keys.ts';
import { readBlocks } from '../../src/store/blocks.ts';
import { forgetOldEnds } from '../../src/store/endedRains.ts';
import { readSwitches } from '../../src/store/killSwitches.ts';
import { findRain, liveRains, readRain, redisNow } from '../../src/store/rains.ts';
import { saleKeys, LIVE_SALES_KEY, SETTLED_SALES_KEY } from '../../src/store/saleKeys.ts';
import { liveSales, readSale, settledSales } from '../../src/store/sales.ts';
import { toldRains } from '../../src/store/told.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { stockSale, tee } from '../gateway/sales/stage.ts';

const { redis } = await openRedis();

/** Written by Redis itself: a client would need as much memory as the readers. */
const flood = (command: 'HSET' | 'SADD', key: string, count: number) =>
  redis.eval(
    `for i = 1, ARGV[2] do if ARGV[1] == 'HSET' then redis.call('HSET', KEYS[1], 'made-up-' .. i, '{"shards":1,"title":"x"}') else redis.call('SADD', KEYS[1], 'made-up-' .. i) end end`,
    1,
    key,
    command,
    count,
  );

test.each([
  ['the index of live rains', LIVE_RAINS_KEY, () => liveRains(redis)],
  ['the block list', BLOCKS_KEY, () => readBlocks(redis)],
  ['the index of live sales', LIVE_SALES_KEY, () => liveSales(redis)],
  ['the index of settled sales', SETTLED_SALES_KEY, () => settledSales(redis)],
])('[R10] %s with more entries than we write is not read, and the fault names the key', async (_what, key, read) => {
  await flood('HSET', key, 30_000);
  await expect(read()).rejects.toThrow(`${key} in Redis is larger`);
  await redis.set(key, 'not a hash');
  await expect(read()).rejects.toThrow(key);
  await redis.del(key);
  expect([...(await liveRains(redis))]).toEqual([]);
});

test('[R10] a state of many fields, of one huge field, or of another type makes its rain unreadable', async () => {
  await stockRain(redis, { rainId: 'big', amounts: ['1.00'] });
  const live = (await findRain(redis, 'big'))!;
  const { state } = shardKeys('big', 0);
  expect(await readRain(redis, 'big', live)).toMatchObject({ left: 1 });
  await redis.hset(state, 'terms', 'x'.repeat(5_000_000));
  expect(await readRain(redis, 'big', live)).toBeUndefined();
  await redis.hdel(state, 'terms');
  await flood('HSET', state, 100);
  expect(await readRain(redis, 'big', live)).toBeUndefined();
  await redis.set(state, 'not a hash');
  expect(await readRain(redis, 'big', live)).toBeUndefined();
});

test.each(['state', 'stock'] as const)(
  '[R10] a sale with a %s of many fields, of one huge field, or of another type is unreadable',
  async (name) => {
    await stockSale(redis, { saleId: `big-${name}`, items: [tee(3)] });
    const read = () => readSale(redis, `big-${name}`);
    const key = saleKeys(`big-${name}`)[name];
    expect(await read()).toMatchObject({ items: [{ sku: 'tee', units: 3 }] });
    await redis.hset(key, 'terms', `{"x":"${'x'.repeat(5_000_000)}"}`);
    expect(await read()).toBeUndefined();
    await redis.hset(key, 'terms', '{}');
    expect(await read()).toMatchObject({ items: [{ units: 3 }] });
    await flood('HSET', key, 500);
    expect(await read()).toBeUndefined();
    await redis.del(key);
    await redis.set(key, 'not a hash');
    expect(await read()).toBeUndefined();
  },
);

test('[R10] a flood of told rains is refused; of heartbeats, switches and ended rains only our own are kept', async () => {
  await flood('SADD', TOLD_RAINS_KEY, 20_000);
  await expect(toldRains(redis)).rejects.toThrow(TOLD_RAINS_KEY);
  const now = await redisNow(redis);
  await sendHeartbeat(redis, {
    id: 'ours',
    address: 'ws://a',
    version: '1',
    startedAt: now,
    at: now,
    sockets: 0,
    screens: 0,
    grabsPending: 0,
    pressed: false,
    answers: {},
  });
  for (const key of [GATEWAYS_KEY, SWITCHES_KEY, ENDED_RAINS_KEY]) await flood('HSET', key, 20_000);
  expect((await readHeartbeats(redis)).map(({ id }) => id)).toEqual(['ours']);
  expect(await redis.hlen(GATEWAYS_KEY)).toBe(1);
  expect(await readSwitches(redis)).toEqual([]);
  await redis.hset(ENDED_RAINS_KEY, 'recent', now);
  await forgetOldEnds(redis, now);
  expect(await redis.hgetall(ENDED_RAINS_KEY)).toEqual({ recent: String(now) });
});

test('a rain with a key of another type keeps no other rain from being read again', async () => {
  await stockRain(redis, { rainId: 'good', amounts: ['1.00'] });
  await stockRain(redis, { rainId: 'bad', amounts: ['1.00'] });
  await redis.del(shardKeys('bad', 0).packets);
  const faults: unknown[] = [];
  await redis.set(shardKeys('bad', 0).packets, 'not a list');
  const cache = new RainCache({ redis, onChange: () => {}, onFault: (fault) => faults.push(fault) });
  await cache.start();
  cache.close();
  expect(cache.reading('good')).toMatchObject({ left: 1 });
  expect(faults.map(String)).toEqual([expect.stringContaining('WRONGTYPE')]);
});
