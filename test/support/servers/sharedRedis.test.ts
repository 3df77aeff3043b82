import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../rain.ts';
import { endTakenRedis, sharedRedis } from './sharedRedis.ts';

test('what a file leaves in Redis is gone when the next one takes it, and a second server is another one', async () => {
  const first = await sharedRedis();
  const redis = await connect(first.url);
  const sha = String(await redis.script('LOAD', 'return 1'));
  await redis.set('left', 'behind');
  const second = await sharedRedis();
  expect(second.url).not.toBe(first.url);
  await second.stop();
  redis.disconnect();
  await first.stop();

  const again = await sharedRedis();
  onTestFinished(() => again.stop());
  expect(again.url).toBe(first.url);
  const next = await connect(again.url);
  onTestFinished(() => next.disconnect());
  expect([await next.dbsize(), await next.script('EXISTS', sha)]).toEqual([0, [0]]);
});

test('a changed setting is reported by name, and restored', async () => {
  const server = await sharedRedis();
  const redis = await connect(server.url);
  await redis.config('SET', 'maxmemory', '5mb');
  redis.disconnect();
  await expect(server.stop()).rejects.toThrow("this file leaves behind: Redis's setting maxmemory is 5242880, was 0");
  const again = await sharedRedis();
  await again.stop();
});

test('an open connection is reported, and closed', async () => {
  const server = await sharedRedis();
  const redis = new Redis(server.url, { connectionName: 'forgotten', retryStrategy: () => null });
  await redis.ping();
  const cut = new Promise((resolve) => redis.once('end', resolve));
  await expect(server.stop()).rejects.toThrow(/connected to Redis still: .*name=forgotten/);
  await cut;
});

test('a file that keeps it does not take it from the files after it', async () => {
  const kept = await sharedRedis();
  expect(await endTakenRedis()).toBe(true);
  expect(await endTakenRedis()).toBe(false);
  const next = await sharedRedis();
  try {
    expect(next.url).not.toBe(kept.url);
  } finally {
    await next.stop();
  }
});
