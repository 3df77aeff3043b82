import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CreditJob } from '../../src/credit/job.ts';
import type { CreditQueue } from '../../src/credit/queue.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { carryShard, resendRange, type CarryDependencies } from '../../src/relay/carry.ts';
import { createLeases } from '../../src/relay/lease.ts';
import { readReplicated } from '../../src/relay/replicated.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { eventually } from '../support/eventually.ts';
import { connect, stockRain } from '../support/rain.ts';
import { startPair, type TestPair } from '../support/servers/replica.ts';

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
  const queue = { add: (_name: string, job: CreditJob) => Promise.resolve(void jobs.push(job)) } as unknown as CreditQueue;
  // A healthy replica's speed is not tested here; the test waits until a stalled one is known to lag.
  const healthy: CarryDependencies = { redis, queue, leases: createLeases(redis, 'me'), read: readReplicated(waiting, 1, 15_000) };
  const parts: CarryDependencies = { ...healthy, read: readReplicated(waiting, 1, 100) };
  await stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00'] });
  const engine = createGrabEngine(redis, (fault) => { throw fault; });
  await engine.grab('r1', 0, ['ann']);
  expect(await carryShard(healthy, 'r1', 0)).toBe('carried');
  pair.link.blackhole();
  await engine.grab('r1', 0, ['bob']);
  expect(await carryShard(parts, 'r1', 0)).toBe('idle');
  expect(await resendRange(parts, 'r1', 0, 0, 2, 'again')).toBe(0);
  expect(jobs.map(({ entries }) => entries.length)).toEqual([1]);
  expect(await redis.get(shardKeys('r1', 0).relayed)).toBe('1');
  pair.link.pass();
  await eventually(async () => expect(await carryShard(parts, 'r1', 0)).toBe('carried'), { timeoutMs: 20_000 });
  expect(jobs.at(-1)).toMatchObject({ from: 1, entries: [expect.stringContaining('bob')] });
});
