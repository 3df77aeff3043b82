import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectRedis, untilReady, type ConnectOptions, type RedisClient } from '../../src/runtime/redis.ts';
import { eventually } from '../support/eventually.ts';
import { TcpProxy } from '../support/proxy.ts';
import { openRedis } from '../support/rain.ts';

// A firewall that has forgotten a connection, a machine that lost its power: nothing ever comes back and nobody says so.

const { server, redis } = await openRedis();
let proxy: TcpProxy;
beforeEach(async () => {
  proxy = await TcpProxy.open(server.port);
  onTestFinished(() => proxy.close());
});

async function connectOver(purpose: ConnectOptions['purpose']): Promise<RedisClient> {
  const client = connectRedis(`redis://127.0.0.1:${proxy.port}`, { purpose, onError: () => {} });
  onTestFinished(() => client.disconnect());
  await untilReady(client);
  return client;
}

test('a client that decides about money leaves a line on which nothing comes back any more', async () => {
  const client = await connectOver('once');
  proxy.halfOpen('client');
  await expect(client.ping()).rejects.toThrow();
  await eventually(async () => await client.ping() === 'PONG', { timeoutMs: 5_000 });
});

test('a subscriber leaves such a line, too, though it never asks for anything', async () => {
  const client = await connectOver('subscriber');
  const heard: string[] = [];
  client.on('message', (_, message: string) => heard.push(message));
  await client.subscribe('news');
  proxy.halfOpen('client');
  await eventually(async () => {
    await redis.publish('news', 'hello');
    return heard.length > 0;
  }, { timeoutMs: 15_000, everyMs: 200 });
});

test('a command that is answered slowly, but is answered, does not cost the line', async () => {
  const client = await connectOver('once');
  proxy.delay(400);
  await client.ping();
  expect(proxy.accepted).toBe(1);
});
