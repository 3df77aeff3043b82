import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { watchReconnects } from '../../../src/platform/redis/reconnectTimer.ts';

test('time since the reconnect: infinite at first, 0 while Redis is unreachable, then from the reconnect on', () => {
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
