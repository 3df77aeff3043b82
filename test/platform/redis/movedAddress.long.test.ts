import { expect, onTestFinished, test } from 'vitest';
import { connectRedis, untilReady, type ConnectOptions } from '../../../src/platform/redis/connect.ts';
import { eventually } from '../../support/eventually.ts';
import { startMovingRedis } from '../../support/servers/movingRedis.ts';

async function openAddress() {
  const moving = await startMovingRedis();
  onTestFinished(() => moving.stop());
  return {
    ...moving,
    async connectFor(purpose: ConnectOptions['purpose']) {
      const client = connectRedis(moving.url, { purpose, onError: () => {} });
      onTestFinished(() => client.disconnect());
      await untilReady(client);
      return client;
    },
  };
}

test.each(['once', 'grabs', 'queue'] as const)(
  'a client for "%s" leaves a server that has become a replica, and what was refused there is not sent again',
  async (purpose) => {
    const { connectFor, swap, move, next } = await openAddress();
    const client = await connectFor(purpose);
    await client.incr('count');
    await swap();
    let done = 0;
    move();
    await expect(client.incr('count').then(() => done++)).rejects.toThrow(/^READONLY /);
    await eventually(() => client.incr('count').then(() => ++done > 0));
    expect([done, await next.get('count')]).toEqual([1, '2']);
  },
);

test('it is left once, however many commands it refuses at the same time', async () => {
  const { connectFor, swap, move } = await openAddress();
  const client = await connectFor('once');
  await swap();
  move();
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  await Promise.allSettled(Array.from({ length: 20 }, () => client.incr('count')));
  await eventually(() => client.incr('count').then(() => true));
  expect(warnings).toEqual([]);
});

test('clients that only read or listen leave it, too, when another one of the process meets a replica', async () => {
  const { connectFor, swap, move, next } = await openAddress();
  const [writer, reader, listener] = [
    await connectFor('once'),
    await connectFor('once'),
    await connectFor('subscriber'),
  ];
  const heard: string[] = [];
  listener.on('message', (_, message: string) => heard.push(message));
  await listener.subscribe('news');
  await swap();
  move();
  await next.set('score', 'new');
  await writer.incr('count').catch(() => {});
  await eventually(async () => (await reader.get('score')) === 'new');
  await eventually(async () => {
    await next.publish('news', 'hello');
    return heard.length > 0;
  });
});

test('a process that only reads leaves it, too', async () => {
  const { connectFor, swap, move, next } = await openAddress();
  const reader = await connectFor('once');
  await swap();
  move();
  await next.set('score', 'new');
  await eventually(async () => (await reader.get('score')) === 'new');
});

test('a client that is still connected to a master is not cut when another one has met a replica', async () => {
  const { connectFor, swap, move, next } = await openAddress();
  const writer = await connectFor('once');
  await swap();
  await expect(writer.incr('count')).rejects.toThrow(/^READONLY /);
  move();
  const late = await connectFor('once');
  let closed = 0;
  late.on('close', () => closed++);
  const reads: string[] = [];
  const listening = await connectFor('queue');
  void listening.blpop('news', 0).then((news) => reads.push(news![1]));
  await eventually(() => writer.incr('count').then(() => true));
  // The clients look 2 s after the last refusal: the one that is told so has looked by then.
  await eventually(async () => (await next.info('commandstats')).includes('cmdstat_set:'));
  await next.rpush('news', 'hello');
  await eventually(() => reads.length > 0);
  expect(closed).toBe(0);
});
