import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { CachedRain } from '../../../src/gateway/rains/rainCache.ts';
import { LocalAnswers } from '../../../src/gateway/rains/localAnswers.ts';
import { createGrabEngine } from '../../../src/grab/engine.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { readRain, redisNow } from '../../../src/store/rains.ts';
import { createWinnersReader } from '../../../src/store/winnersFilter.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { dial } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { packetElement } from '../../../src/store/loadPackets.ts';
import { signer } from '../../support/signer.ts';

const { server, redis } = await openRedis();

/** The local answers for snapshots that the test chooses. */
async function stage(rainIds: readonly string[], { clockErrorMs = 0, slowMs = 0 } = {}) {
  let scans = 0;
  const scanMs: number[] = [];
  const counting = new Proxy(redis, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (name === 'hlen')
        return async (key: string) => {
          scans++;
          const begun = performance.now();
          await sleep(slowMs);
          return await target.hlen(key).finally(() => scanMs.push(performance.now() - begun));
        };
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  }) as RedisClient;
  const readings = new Map<string, CachedRain>();
  let at = await redisNow(redis);
  const refresh = async (rainId: string) => {
    const reading = rainIds.includes(rainId) ? await readRain(redis, rainId, { shards: 1, title: rainId }) : undefined;
    if (reading) readings.set(rainId, { ...reading, readAt: at, readAtMonotonic: performance.now() });
  };
  for (const rainId of rainIds) await refresh(rainId);
  const localAnswers = new LocalAnswers({
    read: createWinnersReader({
      redis: counting,
      signer,
      onFault: (error) => {
        throw error;
      },
    }),
    rainCache: { reading: (rainId) => readings.get(rainId), refresh, now: () => at, clockErrorMs: () => clockErrorMs },
    onFault: (error) => {
      throw error;
    },
  });
  const learn = async (rainId: string, code: string) => {
    await eventually(() => {
      localAnswers.heardNo(rainId);
      expect(localAnswers.answer(rainId, 'nobody')?.code).toBe(code);
    });
  };
  return {
    localAnswers,
    readings,
    refresh,
    learn,
    setTime: (ms: number) => {
      at = ms;
    },
    time: () => at,
    scans: () => scans,
    scanMs,
  };
}

test('[R6] another Redis behind the same connection, with as many wins as the last one, is not mistaken for it', async () => {
  const gateway = await openGateway(server.url);
  const other = createGrabEngine(redis, (fault) => {
    throw fault;
  });
  onTestFinished(() => gateway.close());
  await stockRain(redis, { rainId: 'swap', amounts: ['1.00', '2.00'] });
  const [ann, bob, eve] = await Promise.all(['ann', 'bob', 'eve'].map((name) => dial(gateway.url, name)));
  onTestFinished(async () => {
    await Promise.all([ann, bob, eve].map((client) => client!.leave()));
  });
  const ask = async (client: typeof ann) => {
    client!.say({ type: 'grab', rainId: 'swap' });
    return (await client!.next('result')).code;
  };
  expect([await ask(ann), await ask(bob)]).toEqual(['0', '0']);
  expect(await ask(eve)).toBe('-1');
  await eventually(async () => {
    const calls = async () => Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(await redis.info('commandstats'))![1]);
    const before = await calls();
    expect(await ask(eve)).toBe('-1');
    expect(await calls()).toBe(before);
  });
  // A replica without bob's win takes over, and eve, at another gateway, is the first to grab there.
  const { claims, claimed, packets } = shardKeys('swap', 0);
  const entry = JSON.parse((await redis.lindex(claims, 0))!) as { redPacketId: string; amount: string };
  await redis
    .multi()
    .lpop(claims)
    .hdel(claimed, 'bob')
    .rpush(packets, packetElement(signer, 'swap', entry.redPacketId, entry.amount))
    .exec();
  expect(await other.grab('swap', 0, ['eve'])).toMatchObject([{ code: '0' }]);
  await eventually(async () => expect(await ask(eve)).toBe('1'), { timeoutMs: 3_000 });
});

test("[R7] a rain is not over while Redis's clock, within its error, may not have reached the end", async () => {
  await stockRain(redis, { rainId: 'end', amounts: ['1.00'] });
  const { localAnswers, learn, setTime, refresh, readings } = await stage(['end'], { clockErrorMs: 40 });
  const { closesAt } = readings.get('end')!;
  setTime(closesAt + 45);
  await learn('end', '-3');
  for (const [readAfter, now, known] of [
    [1, 2, false],
    [30, 35, false],
    [1, 60, false],
    [41, 42, true],
  ] as const) {
    setTime(closesAt + readAfter);
    await refresh('end');
    setTime(closesAt + now);
    expect(localAnswers.answer('end', 'ann')?.code, `read ${readAfter} ms after the end, answered at ${now} ms`).toBe(
      known ? '-3' : undefined,
    );
  }
});

test("[R7] a rain does not count as unopened while Redis's clock, within its error, may have reached the start", async () => {
  await stockRain(redis, { rainId: 'begin', amounts: ['1.00'], opensInMs: 60_000 });
  const { localAnswers, learn, setTime, refresh, readings } = await stage(['begin'], { clockErrorMs: 400 });
  await learn('begin', '-2');
  const { opensAt } = readings.get('begin')!;
  for (const [before, known] of [
    [600, true],
    [300, false],
  ] as const) {
    setTime(opensAt - before);
    await refresh('begin');
    expect(localAnswers.answer('begin', 'ann')?.code).toBe(known ? '-2' : undefined);
  }
});

test('[R10] winners of a rain that is gone are dropped, even if nobody asks for it any more', async () => {
  const rainIds = Array.from({ length: 20 }, (_, i) => `gone-${i}`);
  for (const rainId of rainIds)
    await stockRain(redis, { rainId, amounts: ['1.00'], opensInMs: -2_000, closesInMs: -1_000 });
  const { localAnswers, learn, readings, time, setTime } = await stage(rainIds);
  for (const rainId of rainIds) {
    await learn(rainId, '-3');
    readings.delete(rainId);
    setTime(time() + 1_000);
  }
  expect(localAnswers.size).toBeLessThanOrEqual(2);
});

test('[R10] repeated grabs for rains that the cache no longer knows do not read the winners each time', async () => {
  const rainIds = Array.from({ length: 10 }, (_, i) => `old-${i}`);
  for (const rainId of rainIds)
    await stockRain(redis, { rainId, amounts: ['1.00'], opensInMs: -2_000, closesInMs: -1_000 });
  const { localAnswers, refresh, readings, scans, scanMs } = await stage(rainIds, { slowMs: 50 });
  const began = performance.now();
  // On a busy machine the first takes longer, and the second has to wait longer.
  for (let round = 0; round < 30 || scans() < 2; round++) {
    for (const rainId of rainIds) {
      // Like a grab for a settled rain: the rain is found again, Redis refuses, and the cache drops the rain at its
      // next reading.
      await refresh(rainId);
      if (!localAnswers.answer(rainId, 'ann')) localAnswers.heardNo(rainId);
    }
    await sleep(60);
    readings.clear();
    for (const rainId of rainIds) localAnswers.answer(rainId, 'ann');
  }
  // A tenth of the time, and the last one at once; no pause is longer than five seconds.
  const spentMs = scanMs.reduce((sum, ms) => sum + Math.min(ms, 500), 0);
  expect(spentMs).toBeLessThan(0.1 * (performance.now() - began) + Math.max(...scanMs) + 5);
});
