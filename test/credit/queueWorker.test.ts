import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { QueueWorker } from '../../src/credit/queueWorker.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { QUEUE_PREFIX as prefix } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';
import { startRedis } from '../support/servers/redis.ts';

const server = await startRedis();
const admin = new Redis(server.url);
afterAll(() => {
  admin.disconnect();
  return server.stop();
});

const queue = new Queue<string>('work', { connection: { port: server.port, maxRetriesPerRequest: null }, prefix });
afterAll(() => queue.close());

const allow = (user: string, ...rules: string[]) => admin.acl('SETUSER', user, 'on', 'nopass', '~*', '&*', ...rules);

/** A worker that is this user of Redis. */
async function workAs(user: string) {
  const connection = connectRedis(server.url.replace('//', `//${user}:any@`), { purpose: 'queue', onError: () => {} });
  await untilReady(connection);
  const [done, errorsAt]: [string[], number[]] = [[], []];
  const onError = () => void errorsAt.push(performance.now());
  const backoff = { firstDelayMs: 10, delayMsMax: 100 };
  const worker = new QueueWorker<string>('work', async ({ data }) => void done.push(data), {
    connection,
    prefix,
    onError,
    concurrency: 4,
    backoff,
  });
  onTestFinished(async () => {
    await worker.close();
    connection.disconnect();
  });
  return { done, errorsAt };
}

test('[R10] a worker whom Redis refuses a job asks again after a pause, and takes it once it may', async () => {
  await allow('barred', '+@all', '-rpoplpush');
  await queue.add('one', 'first');
  const { done, errorsAt } = await workAs('barred');
  await eventually(() => errorsAt.length >= 4, { timeoutMs: 20_000 });
  // The check for stalled jobs is not refused, so that all errors come from one loop.
  for (const [i, at] of errorsAt.slice(1).entries()) expect(at - errorsAt[i]!).toBeGreaterThan(400);
  await allow('barred', '+rpoplpush');
  await eventually(() => expect(done).toEqual(['first']));
});
