import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { CreditJob } from '../../src/credit/job.ts';
import { createCreditQueue, createDeadQueue, CREDIT_QUEUE, LATER_QUEUE } from '../../src/credit/queue.ts';
import { startRangeWorker } from '../../src/credit/rangeWorker.ts';
import { openEndedQueue } from '../../src/orders/endedQueue.ts';
import { startEndedWorker } from '../../src/orders/endedWorker.ts';
import { COMMAND_TIMEOUT_MS, connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { Histogram } from '../../src/platform/telemetry/histogram.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';
import { TcpProxy } from '../support/servers/proxy.ts';
import { openRedis } from '../support/rain.ts';

const { server, redis } = await openRedis();

/** Longer than a command may take, and shorter than the silence for which a connection is replaced. */
const SLOW_MS = COMMAND_TIMEOUT_MS + 200;

test('a queue works again by itself when Redis was too slow to answer its first command', async () => {
  const proxy = await TcpProxy.open(server.port);
  onTestFinished(() => proxy.close());
  const connection = connectRedis(`redis://127.0.0.1:${proxy.port}`, { purpose: 'once', onError: () => {} });
  onTestFinished(() => connection.disconnect());
  await untilReady(connection);
  proxy.delay(SLOW_MS);
  const options = { connection, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true };
  const queues = [createDeadQueue(options), openEndedQueue(options)];
  onTestFinished(async () => void (await Promise.all(queues.map((queue) => queue.close()))));
  for (const first of await Promise.allSettled(queues.map((queue) => queue.getJobCounts())))
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'Command timed out' } });
  proxy.pass();
  for (const queue of queues)
    expect(await eventually(() => queue.getJobCountByTypes('waiting'), { timeoutMs: 5_000 })).toBe(0);
});

test('workers do their jobs although Redis refused INFO when they were made', async () => {
  await redis.call('ACL', 'SETUSER', 'without-info', 'on', '>secret', '~*', '&*', '+@all', '-info');
  onTestFinished(async () => void (await redis.call('ACL', 'DELUSER', 'without-info')));
  const connection = connectRedis(`redis://without-info:secret@127.0.0.1:${server.port}`, {
    purpose: 'queue',
    onError: () => {},
  });
  onTestFinished(() => connection.disconnect());
  await untilReady(connection);
  const faults: string[] = [];
  const options = {
    connection,
    prefix: QUEUE_PREFIX,
    onError: ({ message }: Error) => void faults.push(message),
    log: createLog('credit', 'silent'),
  };
  const done: string[] = [];
  const rangeWorker = startRangeWorker<CreditJob, void>(
    {
      queues: [CREDIT_QUEUE, LATER_QUEUE],
      work: async ({ name }) => void done.push(name),
      onDone: () => {},
      onClosed: async () => {},
      doing: 'crediting',
      schema: z.object({ entries: z.array(z.string()) }),
      idsOf: () => ({}),
      counters: { faults: 0, jobs: new Histogram([1]) },
    },
    options,
  );
  const endedWorker = startEndedWorker({
    ...options,
    endedOf: async (_saleId, ids) => ids.map((id) => ({ id, userId: 'ann', status: 'timed_out' })),
    tell: async (saleId, ended) => {
      done.push(saleId);
      return ended.map(() => ({ outcome: 'commit' as const }));
    },
  });
  const [credit, ended] = [createCreditQueue(options), openEndedQueue(options)];
  onTestFinished(
    async () =>
      void (await Promise.all([rangeWorker.close(), endedWorker.close(5_000), credit.close(), ended.close()])),
  );
  await credit.add('a range', { rainId: 'r', shard: 0, from: 0, entries: ['an entry'] }, { jobId: 'one' });
  await ended.add(
    'ended',
    { saleId: 'a-sale', ended: [{ id: 'a-sale-1', userId: 'user', status: 'cancelled' }] },
    { jobId: 'ended' },
  );
  await eventually(() => expect(done.sort()).toEqual(['a range', 'a-sale']), { timeoutMs: 5_000 });
  expect(faults).toEqual([]);
});
