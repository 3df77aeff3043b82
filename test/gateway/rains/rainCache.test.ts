import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { RainCache } from '../../../src/gateway/rains/rainCache.ts';
import { createGrabEngine } from '../../../src/grab/engine.ts';
import { RAINS_VERSION_KEY, shardKeys } from '../../../src/store/keys.ts';
import { announceChange, close, pause, resume } from '../../../src/store/transitions.ts';
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

async function openRainCache(
  client: RedisClient,
  pollMs: number,
  wholeMs = 60_000,
): Promise<{ rainCache: RainCache; states: string[] }> {
  const states: string[] = [];
  let closed = false;
  const rainCache = new RainCache({
    redis: client,
    pollMs,
    wholeMs,
    onFault: (error) => {
      if (!closed) throw error;
    },
    onChange: ({ rainId, state }: RainSnapshot) => states.push(`${rainId} ${state}`),
  });
  await rainCache.start();
  onTestFinished(() => {
    // A reading may be under way.
    closed = true;
    rainCache.close();
  });
  return { rainCache, states };
}

test("[R7] when Redis's clock is set back, the newest reading of a rain still counts", async () => {
  let shiftMs = 0;
  await stockRain(redis, { rainId: 'back', amounts: ['1.00'], opensInMs: -3_600_000 });
  const { rainCache, states } = await openRainCache(
    withClock(() => shiftMs),
    50,
  );
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
  const rainCache = new RainCache({
    redis,
    pollMs: 60_000,
    restMs: () => restMs,
    onFault: (error) => {
      throw error;
    },
    onChange: ({ rainId, state, left }, event) => {
      if (rainId === 'left') sent.push([state, left, event]);
    },
  });
  await rainCache.start();
  onTestFinished(() => rainCache.close());
  const { grab } = createGrabEngine(redis, (error) => {
    throw error;
  });
  await grab('left', 0, ['ann']);
  await rainCache.refresh('left');
  expect(sent).toEqual([['open', 3, 'announcement']]);
  await pause(redis, 'left', 1);
  await rainCache.refresh('left');
  expect(sent).toEqual([
    ['open', 3, 'announcement'],
    ['paused', 2, 'announcement'],
  ]);
  await resume(redis, 'left', 1);
  await rainCache.refresh('left');
  await grab('left', 0, ['bob']);
  await rainCache.refresh('left');
  restMs = 0;
  await rainCache.refresh('left');
  restMs = 60_000;
  await grab('left', 0, ['cat']);
  await rainCache.refresh('left');
  expect(sent.slice(2)).toEqual([
    ['open', 2, 'announcement'],
    ['open', 1, 'left'],
    ['open', 0, 'change'],
  ]);
});

test('what is left is rounded while packets can be won, and exact after the end', async () => {
  await stockRain(redis, { rainId: 'exact', amounts: Array<string>(200).fill('1.00') });
  const { rainCache } = await openRainCache(redis, 60_000);
  await createGrabEngine(redis, (error) => {
    throw error;
  }).grab('exact', 0, ['ann']);
  const left = async () => {
    await rainCache.refresh('exact');
    return rainCache.snapshot('exact')!.left;
  };
  expect(await left()).toBe(200);
  await close(redis, 'exact', 1, 'early');
  expect(await left()).toBe(199);
});

/** How often each shard of these rains was read so far. */
function watchReads() {
  const reads: string[] = [];
  const client = new Proxy(redis, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (name === 'evalsha')
        return (...args: unknown[]) => {
          reads.push(String(args[2]));
          return (found as (...words: unknown[]) => unknown).apply(target, args);
        };
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  });
  return { client, readsOf: (rainId: string) => reads.filter((key) => key === shardKeys(rainId, 0).state).length };
}

test('while nothing is announced only rains that are open or near are read again, and those that somebody asks for', async () => {
  await Promise.all(
    [
      ['far', 3_600_000],
      ['far-too', 3_600_000],
      ['near', 30_000],
      ['now', -1_000],
    ].map(([rainId, opensInMs]) =>
      stockRain(redis, {
        rainId: String(rainId),
        amounts: ['1.00'],
        opensInMs: Number(opensInMs),
        closesInMs: 7_200_000,
      }),
    ),
  );
  await announceChange(redis, 'far');
  const { client, readsOf } = watchReads();
  const { rainCache, states } = await openRainCache(client, 20);
  const later = (times: number) => eventually(() => expect(readsOf('now')).toBeGreaterThanOrEqual(times));
  await later(10);
  expect([readsOf('far'), readsOf('far-too')]).toEqual([1, 1]);
  expect(readsOf('near')).toBeGreaterThan(8);
  for (let i = 0; i < 5; i++) {
    expect(rainCache.reading('far-too')).toBeDefined();
    await later(readsOf('now') + 2);
  }
  expect(readsOf('far-too')).toBeGreaterThan(4);
  expect(readsOf('far')).toBe(1);
  // No gateway listens here, so the event of this change is lost.
  await pause(redis, 'far', 1);
  await eventually(() => expect(states).toContain('far paused'));
  expect(readsOf('far')).toBe(2);
});

test('a rain of which nothing is left is read again when somebody asks for it, and when it is changed', async () => {
  for (const rainId of ['going', 'gone']) await stockRain(redis, { rainId, amounts: ['1.00'] });
  await createGrabEngine(redis, (error) => {
    throw error;
  }).grab('gone', 0, ['ann']);
  await announceChange(redis, 'gone');
  const { client, readsOf } = watchReads();
  const { rainCache, states } = await openRainCache(client, 20);
  const later = (times: number) => eventually(() => expect(readsOf('going')).toBeGreaterThanOrEqual(times));
  await later(10);
  expect(readsOf('gone')).toBe(1);
  rainCache.reading('gone');
  await later(readsOf('going') + 5);
  expect(readsOf('gone')).toBe(3);
  await pause(redis, 'gone', 1);
  await eventually(() => expect(states).toContain('gone paused'));
});

test('a change that nobody has announced is seen a little later, also of a rain that is far off', async () => {
  await stockRain(redis, { rainId: 'silent', amounts: ['1.00'], opensInMs: 3_600_000, closesInMs: 7_200_000 });
  await announceChange(redis, 'silent');
  const { states } = await openRainCache(redis, 20, 200);
  await redis.hset(shardKeys('silent', 0).state, 'state', 'paused');
  await eventually(() => expect(states).toContain('silent paused'));
});

test.each([
  ['is gone', () => redis.del(RAINS_VERSION_KEY)],
  ['is of another type', () => redis.multi().del(RAINS_VERSION_KEY).lpush(RAINS_VERSION_KEY, 'x').exec()],
])('[R10] when the version %s, all rains are read at each poll', async (name, act) => {
  const rainId = name.replaceAll(' ', '-');
  await stockRain(redis, { rainId, amounts: ['1.00'], opensInMs: 3_600_000, closesInMs: 7_200_000 });
  await announceChange(redis, rainId);
  const { client, readsOf } = watchReads();
  await openRainCache(client, 20);
  await act();
  await eventually(() => expect(readsOf(rainId)).toBeGreaterThan(5));
  await redis.del(RAINS_VERSION_KEY);
});
