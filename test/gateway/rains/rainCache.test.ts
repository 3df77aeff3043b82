import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { RainCache } from '../../../src/gateway/rains/rainCache.ts';
import { createGrabEngine } from '../../../src/grab/engine.ts';
import { pause, resume } from '../../../src/store/transitions.ts';
import type { RainSnapshot } from '../../../src/protocol/messages.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis, stockRain } from '../../support/rain.ts';

const { redis } = await openRedis();

/** The same Redis, whose clock can be set. */
function withClock(shiftMs: () => number): RedisClient {
  const time = async () => {
    const [seconds, micros] = await redis.time();
    const ms = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000) + shiftMs();
    return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000];
  };
  return new Proxy(redis, {
    get(target, name) {
      if (name === 'time') return time;
      const found: unknown = Reflect.get(target, name);
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  });
}

async function openRainCache(client: RedisClient, pollMs: number): Promise<{ rainCache: RainCache; states: string[] }> {
  const states: string[] = [];
  const rainCache = new RainCache({ redis: client, pollMs, onFault: (error) => { throw error; }, onChange: ({ rainId, state }: RainSnapshot) => states.push(`${rainId} ${state}`) });
  await rainCache.start();
  onTestFinished(() => rainCache.close());
  return { rainCache, states };
}

test('[R7] when Redis\'s clock is set back, the newest reading of a rain still counts', async () => {
  let shiftMs = 0;
  await stockRain(redis, { rainId: 'back', amounts: ['1.00'], opensInMs: -3_600_000 });
  const { rainCache, states } = await openRainCache(withClock(() => shiftMs), 50);
  shiftMs = -60_000;
  await eventually(() => rainCache.now() < Date.now() - 30_000);
  await pause(redis, 'back', 1);
  await eventually(() => expect(states).toContain('back paused'), { timeoutMs: 2_000 });
});

test('repeated lookups of unknown rains do not delay the polling of others', async () => {
  await stockRain(redis, { rainId: 'watched', amounts: ['1.00'] });
  const { rainCache, states } = await openRainCache(redis, 300);
  let asking = true;
  const lookups = (async () => {
    for (let i = 0; asking; i++) {
      await rainCache.find(`nowhere-${i}`);
      await sleep(20);
    }
  })();
  // No event announces it.
  await redis.hset('rain:{watched/0}:state', 'state', 'paused');
  try {
    await eventually(() => expect(states).toContain('watched paused'), { timeoutMs: 2_000 });
  } finally {
    asking = false;
    await lookups;
  }
});

test('the number of packets left is sent at intervals; zero, and every other change, at once', async () => {
  await stockRain(redis, { rainId: 'left', amounts: ['1.00', '1.00', '1.00'] });
  const sent: unknown[] = [];
  let restMs = 60_000;
  const rainCache = new RainCache({ redis, pollMs: 60_000, restMs: () => restMs, onFault: (error) => { throw error; }, onChange: ({ rainId, state, left }, event) => { if (rainId === 'left') sent.push([state, left, event]); } });
  await rainCache.start();
  onTestFinished(() => rainCache.close());
  const { grab } = createGrabEngine(redis, (error) => { throw error; });
  await grab('left', 0, ['ann']);
  await rainCache.refresh('left');
  expect(sent).toEqual([['open', 3, 'rain']]);
  await pause(redis, 'left', 1);
  await rainCache.refresh('left');
  expect(sent).toEqual([['open', 3, 'rain'], ['paused', 2, 'change']]);
  await resume(redis, 'left', 1);
  await rainCache.refresh('left');
  await grab('left', 0, ['bob']);
  await rainCache.refresh('left');
  restMs = 0;
  await rainCache.refresh('left');
  restMs = 60_000;
  await grab('left', 0, ['cat']);
  await rainCache.refresh('left');
  expect(sent.slice(2)).toEqual([['open', 2, 'change'], ['open', 1, 'left'], ['open', 0, 'change']]);
});
