import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbeddedRedis, type EmbeddedRedis } from '../../../src/platform/embedded/redis.ts';
import { homeAt, type Home } from '../../../src/platform/process/home.ts';
import { identify, isAlive } from '../../../src/platform/process/processIdentity.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const password = 'p'.repeat(48);

async function start(home: Home): Promise<EmbeddedRedis> {
  const started = await startEmbeddedRedis({ home, password });
  if (!started.ok) throw new Error(started.reason);
  onTestFinished(() => started.server.stop());
  return started.server;
}

async function ask<T>(url: string, question: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}

test('[R4] the embedded Redis syncs every write, evicts nothing when full, and requires a password', async () => {
  const home = homeAt(temporaryFolder());
  const server = await start(home);
  const wanted = {
    appendonly: 'yes',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    bind: '127.0.0.1',
    save: '',
  };
  for (const [name, value] of Object.entries(wanted))
    expect(await ask(server.url, (redis) => redis.config('GET', name))).toEqual([name, value]);
  await expect(ask(`redis://127.0.0.1:${server.port}`, (redis) => redis.get('x'))).rejects.toThrow(/NOAUTH/);
  expect(statSync(join(home.folder, 'redis.conf')).mode & 0o777).toBe(0o600);
});

test('a relaxed one syncs once a second, and a later start that does not ask for it syncs every write again', async () => {
  const home = homeAt(temporaryFolder());
  for (const [relaxed, appendfsync] of [
    [true, 'everysec'],
    [false, 'always'],
  ] as const) {
    const started = await startEmbeddedRedis({ home, password, relaxed });
    if (!started.ok) throw new Error(started.reason);
    try {
      expect(await ask(started.server.url, (redis) => redis.config('GET', 'appendfsync'))).toEqual([
        'appendfsync',
        appendfsync,
      ]);
    } finally {
      await started.server.stop();
    }
  }
});

test('[R4] a restart keeps the data, after an orderly stop and after kill -9', async () => {
  const home = homeAt(temporaryFolder());
  const first = await start(home);
  await ask(first.url, (redis) => redis.rpush('list', 'a'));
  const identity = identify(first.pid)!;
  await first.stop();
  expect(isAlive(identity)).toBe(false);
  expect(await first.ended).toMatchObject({ code: 0, expected: true });

  const second = await start(home);
  await ask(second.url, (redis) => redis.rpush('list', 'b'));
  process.kill(second.pid, 'SIGKILL');
  expect(await second.ended).toMatchObject({ code: 1, expected: false });

  const third = await start(home);
  expect(await ask(third.url, (redis) => redis.lrange('list', 0, -1))).toEqual(['a', 'b']);
});

test('a busy port is reported in one sentence', async () => {
  // The program on the port may accept a connection and send nothing.
  const accepted: Socket[] = [];
  const busy = createServer((socket) => {
    accepted.push(socket);
  }).listen(0, '127.0.0.1');
  await once(busy, 'listening');
  onTestFinished(() => {
    for (const socket of accepted) socket.destroy();
    busy.close();
  });
  const { port } = busy.address() as AddressInfo;
  const started = await startEmbeddedRedis({ home: homeAt(temporaryFolder()), password, port });
  expect(started).toEqual({
    ok: false,
    reason: `the embedded Redis did not start: port ${port} of 127.0.0.1 is in use`,
  });
});
