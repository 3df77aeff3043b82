import { afterAll, beforeAll, expect, test } from 'vitest';
import { rain } from '../support/call.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
  await context.queues.ordersLater.add(
    'range',
    {
      saleId: 'flash',
      from: 0,
      entries: ['a', 'b'],
      later: { attempts: 3, since: 1_700_000_000_000, chain: 'c', detail: 'the shop answers 503' },
    },
    { jobId: 'late', delay: 200_000 },
  );
});
afterAll(() => context?.stop());

const ask = (...words: string[]) => rain(words, { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl });

test('tells of every queue what it is for and whether a worker is connected', async () => {
  const { exit, stdout } = await ask('queues');
  expect(exit).toBe(0);
  expect(stdout).toMatch(/credit +credits what was won +0 +0 +0 +0 +working/);
  expect(stdout).toMatch(
    /ordersLater +hands over what the shop did not accept yet +0 +0 +1 +\d{4}-\S+Z +0 +no worker is connected/,
  );
  expect(stdout).toMatch(/claims that are in no queue yet +0/);
});

test('tells of one queue which jobs are tried again, and which were given up', async () => {
  expect((await ask('queues', 'ordersLater')).stdout).toMatch(
    /late +flash +2 +3 of 200 +\d{4}-\S+Z +the shop answers 503\n\npage 1 of 1, 1 in all/,
  );
  expect((await ask('queues', 'ordersLater', '--state', 'failed')).stdout).toContain('no job was given up');
  expect(JSON.parse((await ask('queues', 'ordersLater', '--json')).stdout)).toMatchObject({
    total: 1,
    jobs: [{ id: 'late' }],
  });
});

test.each([
  [['queues', 'nothing'], 'queue: expected one of credit, later'],
  [['queues', 'dead'], 'queue: expected one of credit, later'],
  [['queues', 'credit', '--state', 'waiting'], '--state: expected one of delayed, failed'],
  [['queues', '--page', '2'], '--page: expected the name of a queue with it'],
  [['queues', 'credit', '--page', '0'], 'expected a whole number from 1 to 1000'],
])('[R12] rain %j is refused', async (words, reason) => {
  const { exit, stderr } = await ask(...words);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(reason)]);
});
