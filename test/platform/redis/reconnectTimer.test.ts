import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { watchReconnects } from '../../../src/platform/redis/reconnectTimer.ts';

test('how long Redis has been back: for ever, not at all while it is away, and then from its return on', () => {
  const redis = new Redis({ lazyConnect: true });
  let now = 1_000;
  const since = watchReconnects(redis, () => now);
  redis.emit('ready');
  expect(since()).toBe(Infinity);
  redis.emit('close');
  now = 3_000;
  expect(since()).toBe(0);
  redis.emit('ready');
  now = 3_700;
  expect(since()).toBe(700);
  redis.disconnect();
});
