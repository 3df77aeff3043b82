import { expect, test, type TestContext } from 'vitest';
import { deadlineIn } from '../../../src/platform/concurrency/deadline.ts';
import {
  connectRedis,
  untilReady,
  type ConnectOptions,
  type RedisClient,
} from '../../../src/platform/redis/connect.ts';
import { eventually } from '../../support/eventually.ts';
import { TcpProxy } from '../../support/servers/proxy.ts';
import { openRedis } from '../../support/rain.ts';
import { startSentinel } from '../../support/servers/sentinel.ts';

// A firewall that has forgotten a connection, a machine that lost its power: nothing ever comes back and nobody says
// so.

const { server, redis } = await openRedis();

/** A client, and the line on which it is; both end with their test. */
async function connectOver(
  purpose: ConnectOptions['purpose'],
  { onTestFinished }: TestContext,
): Promise<{ client: RedisClient; proxy: TcpProxy }> {
  const proxy = await TcpProxy.open(server.port);
  onTestFinished(() => proxy.close());
  const client = connectRedis(`redis://127.0.0.1:${proxy.port}`, { purpose, onError: () => {} });
  onTestFinished(() => client.disconnect());
  await untilReady(client);
  return { client, proxy };
}

// Each waits for as long as a client is patient, side by side.
test.concurrent('a client that decides about money leaves a line on which nothing comes back any more', async (context) => {
  const { client, proxy } = await connectOver('once', context);
  proxy.halfOpen('client');
  await expect(client.ping()).rejects.toThrow();
  await eventually(async () => (await client.ping()) === 'PONG', { timeoutMs: 5_000 });
});

test.concurrent('a subscriber replaces a silent connection too, although it sends no commands', async (context) => {
  const { client, proxy } = await connectOver('subscriber', context);
  const heard: string[] = [];
  client.on('message', (_, message: string) => heard.push(message));
  await client.subscribe('news');
  proxy.halfOpen('client');
  await eventually(
    async () => {
      await redis.publish('news', 'hello');
      return heard.length > 0;
    },
    { timeoutMs: 15_000, everyMs: 200 },
  );
});

test.concurrent('a subscriber hears again, although Redis went away for long before it had answered the subscription', async (context) => {
  const { client, proxy } = await connectOver('subscriber', context);
  const heard: string[] = [];
  client.on('message', (_, message: string) => heard.push(message));
  await client.subscribe('news from afar');
  // ioredis subscribes again when it is ready, after this.
  client.prependOnceListener('ready', () => proxy.blackhole('toClient'));
  proxy.cut();
  await eventually(() => proxy.weather.kind === 'blackhole' && proxy.hasLost);
  let attempts = 0;
  client.on('error', () => {
    attempts++;
  });
  proxy.refuse();
  // Its default gives up after 20.
  await eventually(() => attempts > 22, { timeoutMs: 25_000 });
  proxy.pass();
  await eventually(
    async () => {
      await redis.publish('news from afar', 'hello');
      return heard.length > 0;
    },
    { timeoutMs: 10_000, everyMs: 200 },
  );
});

test.concurrent('a client of the queues leaves it, too, and sends again what was not answered', async (context) => {
  const { client, proxy } = await connectOver('queue', context);
  proxy.halfOpen('client');
  expect(await deadlineIn(20_000).within(client.ping())).toBe('PONG');
});

test.concurrent('a client that waits for a job as long as the queues do keeps its line', async (context) => {
  const { client, proxy } = await connectOver('queue', context);
  expect(await client.bzpopmin('nothing', 10)).toBeNull();
  expect(proxy.accepted).toBe(1);
});

test.concurrent('a Sentinel that takes connections and says nothing is passed over', async ({ onTestFinished }) => {
  const sentinel = await startSentinel();
  onTestFinished(() => sentinel.stop());
  const mute = await TcpProxy.open(server.port);
  onTestFinished(() => mute.close());
  mute.blackhole();
  const url = sentinel.url.replace('//', `//127.0.0.1:${mute.port},`);
  const client = connectRedis(url, { purpose: 'once', onError: () => {} });
  onTestFinished(() => client.disconnect());
  await untilReady(client, 15_000);
  expect(mute.accepted).toBeGreaterThan(0);
});

test.concurrent('a command that is answered slowly, but is answered, does not cost the line', async (context) => {
  const { client, proxy } = await connectOver('once', context);
  proxy.delay(400);
  await client.ping();
  expect(proxy.accepted).toBe(1);
});
