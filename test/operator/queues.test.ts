import { Worker } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listQueueJobs } from '../../src/operator/queues/jobs.ts';
import { readQueues, type QueuesView } from '../../src/operator/queues/overview.ts';
import { ORDER_QUEUE } from '../../src/orders/queue.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';

/** No job of ours is delayed for much longer. */
const DELAY_MS = 200_000;

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
afterAll(() => context?.stop());

const queueOf = ({ queues }: QueuesView, wanted: string) => queues.find(({ name }) => name === wanted)!;
const claim = (i: number) =>
  JSON.stringify({
    rainId: 'nowhere',
    redPacketId: `nowhere-${i}`,
    amount: '1.00',
    userId: `user-${i}`,
    at: '1700000000000',
  });

test('of each queue: what waits and since when, what was given up, and whether a worker is connected', async () => {
  await context.queues.ordersLater.add(
    'range',
    { saleId: 'flash', from: 0, entries: ['an entry'] },
    { jobId: 'waiting', timestamp: 1_700_000_000_000 },
  );
  // A worker is named to Redis a moment after it was made.
  const view = await eventually(async () => {
    const now = await readQueues(context);
    return ['credit', 'later'].every((name) => queueOf(now, name).state !== 'no_worker') && now;
  });
  expect(view.queues.map(({ name, state }) => [name, state])).toEqual([
    ['credit', 'working'],
    ['later', 'working'],
    ['dead', 'operator'],
    ['orders', 'no_worker'],
    ['ordersLater', 'no_worker'],
    ['ordersEnded', 'idle'],
    ['ordersDead', 'operator'],
  ]);
  expect(queueOf(view, 'ordersLater')).toEqual({
    name: 'ordersLater',
    state: 'no_worker',
    waiting: 1,
    active: 0,
    delayed: 0,
    failed: 0,
    oldestAt: '2023-11-14T22:13:20.000Z',
  });
});

test('what the logs hold and no queue has yet is counted; dead letters are what was given up', async () => {
  context.barred.add('user-0');
  await context.wonRain('spring', 2);
  expect((await readQueues(context)).notQueued).toEqual({ claims: 2, reservations: 0 });
  await context.credit();
  const view = await readQueues(context);
  expect(view.notQueued).toEqual({ claims: 0, reservations: 0 });
  expect(queueOf(view, 'dead')).toEqual({
    name: 'dead',
    state: 'operator',
    waiting: 0,
    active: 0,
    delayed: 0,
    failed: 1,
    oldestAt: expect.any(String) as string,
  });
});

test('a paused queue says so', async () => {
  await context.queues.later.pause();
  expect(queueOf(await readQueues(context), 'later').state).toBe('paused');
  await context.queues.later.resume();
});

test('claims that are not accepted are tried again: how many, which attempt of how many, why, and when', async () => {
  await context.queues.credit.add(
    'range',
    { rainId: 'nowhere', shard: 0, from: 0, entries: [claim(0), claim(1)] },
    { jobId: 'lost' },
  );
  const { jobs, total, pages } = await eventually(async () => {
    const page = await listQueueJobs(context, 'later', 'delayed', 1);
    return page.total === 1 && page.jobs.length === 1 && page;
  });
  expect([total, pages]).toEqual([1, 1]);
  expect(jobs[0]).toMatchObject({
    rainId: 'nowhere',
    entries: 2,
    attemptsMax: 40,
    error: 'the ledger has no rain nowhere',
    nextAt: expect.any(String) as string,
    addedAt: expect.any(String) as string,
  });
  expect(jobs[0]!.attempts).toBeGreaterThan(0);
  expect(JSON.stringify(jobs)).not.toContain('user-0');
});

test('a job that met a fault says which, without secrets; one that was given up is listed apart', async () => {
  const connection = connectRedis(context.redisUrl, { purpose: 'queue', onError: () => {} });
  await untilReady(connection);
  const worker = new Worker(
    ORDER_QUEUE,
    async () => {
      throw new Error('postgres://rain:geheim@db/rain\n does not answer');
    },
    { connection, prefix: QUEUE_PREFIX, settings: { backoffStrategy: () => DELAY_MS } },
  );
  try {
    await context.queues.orders.add(
      'range',
      { saleId: 'flash', from: 0, entries: ['a', 'b', 'c'] },
      { jobId: 'again', attempts: 7 },
    );
    await context.queues.orders.add(
      'range',
      { saleId: 'flash', from: 3, entries: ['d'] },
      { jobId: 'over', attempts: 1 },
    );
    await context.queues.orders.add(
      'range',
      { saleId: '<script>', from: 3, entries: ['d'] },
      { jobId: 'foreign', attempts: 1 },
    );
    await eventually(async () =>
      (await readQueues(context)).queues.some(
        ({ name, delayed, failed }) => name === 'orders' && delayed === 1 && failed === 2,
      ),
    );
  } finally {
    await worker.close();
    connection.disconnect();
  }
  const again = await listQueueJobs(context, 'orders', 'delayed', 1);
  expect(again.jobs).toEqual([
    {
      id: 'again',
      saleId: 'flash',
      entries: 3,
      attempts: 1,
      attemptsMax: 7,
      error: 'postgres://…@db/rain does not answer',
      addedAt: expect.any(String) as string,
      nextAt: expect.any(String) as string,
    },
  ]);
  expect(Math.abs(Date.parse(again.jobs[0]!.nextAt!) - Date.now() - DELAY_MS)).toBeLessThan(60_000);
  const over = await listQueueJobs(context, 'orders', 'failed', 1);
  expect(
    over.jobs.map(({ id, saleId, entries }) => ({ id, saleId, entries })).sort((a, b) => a.id.localeCompare(b.id)),
  ).toEqual([
    { id: 'foreign', saleId: undefined, entries: undefined },
    { id: 'over', saleId: 'flash', entries: 1 },
  ]);
  expect(queueOf(await readQueues(context), 'orders').nextAt).toBe(again.jobs[0]!.nextAt);
});

test('[R10] a page has 50 jobs, however big they are, and what somebody else has written is no fault', async () => {
  await context.queues.ordersEnded.addBulk(
    Array.from({ length: 120 }, (_, i) => ({
      name: 'ended',
      data: { saleId: 'flash', ended: [{ id: `flash-${i}`, userId: 'ann', status: 'cancelled' as const }] },
      opts: { jobId: `ended-${i}`, delay: DELAY_MS + i * 100 },
    })),
  );
  const pages = await Promise.all([1, 2, 3, 4].map((page) => listQueueJobs(context, 'ordersEnded', 'delayed', page)));
  expect(pages.map(({ jobs, total, pages: all }) => [jobs.length, total, all])).toEqual([
    [50, 120, 3],
    [50, 120, 3],
    [20, 120, 3],
    [0, 120, 3],
  ]);
  expect(pages[1]!.jobs[0]!.id).toBe('ended-50');
  const {
    redis,
    queues: { ordersEnded },
  } = context;
  await redis.hset(ordersEnded.toKey('ended-0'), 'data', '{');
  await redis.unlink(ordersEnded.toKey('ended-1'));
  await redis.set(ordersEnded.toKey('ended-1'), 'no job');
  await redis.unlink(ordersEnded.toKey('ended-2'));
  const [first, second, third] = (await listQueueJobs(context, 'ordersEnded', 'delayed', 1)).jobs;
  expect([first, second].map((job) => [job!.id, job!.entries])).toEqual([
    ['ended-0', undefined],
    ['ended-1', undefined],
  ]);
  expect(third!.id).toBe('ended-3');
});
