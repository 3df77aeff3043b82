import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CreditJob } from '../../src/credit/job.ts';
import type { CreditQueue } from '../../src/credit/queue.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { createReserveEngine } from '../../src/grab/reserve.ts';
import type { OrderJob } from '../../src/orders/job.ts';
import { reservationLogOf } from '../../src/orders/relay.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { draftSale } from '../../src/store/sales.ts';
import { carryLog, resendRange, type CarryDependencies } from '../../src/relay/carry.ts';
import { claimLogOf } from '../../src/relay/claimLogs.ts';
import { createLeases } from '../../src/relay/lease.ts';
import { readReplicated } from '../../src/relay/replicated.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { eventually } from '../support/eventually.ts';
import { connect, stockRain } from '../support/rain.ts';
import { startPair, type TestPair } from '../support/servers/replica.ts';
import { signer } from '../support/signer.ts';

let pair: TestPair;
let redis: RedisClient;
let waiting: RedisClient;
beforeAll(async () => {
  pair = await startPair();
  [redis, waiting] = await Promise.all([connect(pair.master.url), connect(pair.master.url)]);
});
afterAll(async () => {
  for (const connection of [redis, waiting]) connection.disconnect();
  await pair.stop();
});

test('[R4] a claim that no replica has is neither carried nor sent again, and the cursor waits for it', async () => {
  const jobs: CreditJob[] = [];
  const queue = {
    add: (_name: string, job: CreditJob) => Promise.resolve(void jobs.push(job)),
  } as unknown as CreditQueue;
  // A healthy replica's speed is not tested here; the test waits until a stalled one is known to lag.
  const healthy: CarryDependencies<CreditJob> = {
    redis,
    queue,
    leases: createLeases(redis, 'me'),
    read: readReplicated(waiting, 1, 15_000),
  };
  const parts: CarryDependencies<CreditJob> = { ...healthy, read: readReplicated(waiting, 1, 100) };
  await stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00'] });
  const engine = createGrabEngine(redis, (fault) => {
    throw fault;
  });
  await engine.grab('r1', 0, ['ann']);
  expect(await carryLog(healthy, claimLogOf('r1', 0))).toBe('carried');
  pair.link.blackhole();
  await engine.grab('r1', 0, ['bob']);
  expect(await carryLog(parts, claimLogOf('r1', 0))).toBe('idle');
  expect(await resendRange(parts, claimLogOf('r1', 0), 0, 2, 'again')).toBe(0);
  expect(jobs.map(({ entries }) => entries.length)).toEqual([1]);
  expect(await redis.get(shardKeys('r1', 0).relayed)).toBe('1');
  pair.link.pass();
  await eventually(async () => expect(await carryLog(parts, claimLogOf('r1', 0))).toBe('carried'), {
    timeoutMs: 20_000,
  });
  expect(jobs.at(-1)).toMatchObject({ from: 1, entries: [expect.stringContaining('bob')] });
});

test('[R4] the same holds for the reservations of a sale', async () => {
  const jobs: OrderJob[] = [];
  const queue = { add: (_name: string, job: OrderJob) => Promise.resolve(void jobs.push(job)) };
  const parts = (waitMs: number): CarryDependencies<OrderJob> => ({
    redis,
    queue,
    leases: createLeases(redis, 'me'),
    read: readReplicated(waiting, 1, waitMs),
  });
  const now = Date.now();
  await draftSale(redis, {
    saleId: 's1',
    title: 's1',
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    holdMs: 60_000,
    items: [{ sku: 'tee', units: 2, price: '19.90' }],
  });
  await redis.hset(saleKeys('s1').state, 'state', 'loaded');
  const engine = createReserveEngine(redis, signer, (fault) => {
    throw fault;
  });
  await engine.reserve('s1', [{ userId: 'ann', sku: 'tee', quantity: 1 }]);
  const log = reservationLogOf('s1');
  expect(await carryLog(parts(15_000), log)).toBe('carried');
  pair.link.blackhole();
  await engine.reserve('s1', [{ userId: 'bob', sku: 'tee', quantity: 1 }]);
  expect([
    await carryLog(parts(100), log),
    await resendRange(parts(100), log, 0, 2, 'again'),
    await redis.get(saleKeys('s1').relayed),
  ]).toEqual(['idle', 0, '1']);
  pair.link.pass();
  await eventually(async () => expect(await carryLog(parts(100), log)).toBe('carried'), { timeoutMs: 20_000 });
  expect(jobs.map(({ saleId, from, entries }) => [saleId, from, entries.length])).toEqual([
    ['s1', 0, 1],
    ['s1', 1, 1],
  ]);
});
