import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectRedis, parseRedisUrl, untilReady } from '../../../src/platform/redis/connect.ts';
import { redactUrl, serversOf } from '../../../src/platform/network/serverUrl.ts';
import { freePort } from '../../support/freePort.ts';

test('a single server, with or without TLS and login, is left to the client as it stands', () => {
  for (const url of ['redis://127.0.0.1:6379', 'rediss://user:p%40ss@redis.example:6380/2', 'redis://[::1]:6379']) {
    expect(parseRedisUrl(url)).toEqual({ kind: 'single', url });
  }
});

test('a Sentinel group has nodes, a name, and perhaps a login', () => {
  expect(parseRedisUrl('redis+sentinel://:p%40ss@10.0.0.1:26380,sentinel.example/main')).toEqual({
    kind: 'sentinel',
    name: 'main',
    password: 'p@ss',
    nodes: [
      { host: '10.0.0.1', port: 26380 },
      { host: 'sentinel.example', port: 26379 },
    ],
  });
});

test('a Cluster is given by some of its nodes', () => {
  expect(parseRedisUrl('redis+cluster://app:secret@10.0.0.1,[fe80::2]:7001')).toEqual({
    kind: 'cluster',
    username: 'app',
    password: 'secret',
    nodes: [
      { host: '10.0.0.1', port: 6379 },
      { host: 'fe80::2', port: 7001 },
    ],
  });
});

test('[R12] what is no address is refused, not guessed', () => {
  for (const url of [
    '',
    'localhost:6379',
    'http://127.0.0.1',
    'redis://',
    'redis://a b',
    'redis+sentinel://10.0.0.1:26379',
    'redis+cluster://',
    'redis+cluster://10.0.0.1:x',
    'redis+cluster://10.0.0.1,,10.0.0.2',
    'redis+ring://10.0.0.1',
  ]) {
    expect(parseRedisUrl(url), url).toBeUndefined();
  }
});

test('a password does not reach the log', () => {
  expect(redactUrl('redis://user:secret@127.0.0.1:6379/0')).toBe('redis://127.0.0.1:6379/0');
});

test.each([
  ['redis://user:p@ss@127.0.0.1:6379/0', 'redis://127.0.0.1:6379/0'],
  ['postgres://rain:pass/word@10.0.0.6:5432/rain', 'postgres://10.0.0.6:5432/rain'],
  ['postgres://rain:pass?word@10.0.0.6/rain', 'postgres://10.0.0.6/rain'],
  ['postgres://10.0.0.6/rain?user=rain&password=password&ssl=1', 'postgres://10.0.0.6/rain?user=rain&password=…&ssl=1'],
  ['redis+cluster://:password@10.0.0.1,10.0.0.2:7001', 'redis+cluster://10.0.0.1,10.0.0.2:7001'],
])('nor does one with letters in it that belong elsewhere, or one that stands elsewhere: %s', (url, told) => {
  expect(redactUrl(url)).toBe(told);
});

test('an address is shown as its servers and ports', () => {
  for (const [url, told] of [
    ['redis://127.0.0.1:6380/2', '127.0.0.1:6380'],
    ['rediss://user:p@ss@redis.example', 'redis.example:6379'],
    ['redis://[::1]', '[::1]:6379'],
    ['redis+sentinel://:secret@10.0.0.1:26380,10.0.0.2/main', '10.0.0.1:26380, 10.0.0.2:26379'],
    ['redis+cluster://10.0.0.1,10.0.0.2:7001', '10.0.0.1:6379, 10.0.0.2:7001'],
    ['postgres://rain:secret@db.example/rain?ssl=1', 'db.example:5432'],
    ['postgresql://rain@db.example:6432/rain', 'db.example:6432'],
    ['postgres://postgres@%2Fsrv%2F.rain%2Fsockets/postgres', '/srv/.rain/sockets'],
  ] as const)
    expect(serversOf(url), url).toBe(told);
});

describe('nobody there', () => {
  /** Accepts connections and says nothing. */
  async function silence(): Promise<number> {
    const accepted: Socket[] = [];
    const server = createServer((socket) => {
      accepted.push(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of accepted) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  test.each([
    ['one server', (port: number) => `redis://:not-to-be-told@127.0.0.1:${port}/1`],
    ['Sentinels', (port: number) => `redis+sentinel://:not-to-be-told@127.0.0.1:${port}/main`],
    ['a Cluster', (port: number) => `redis+cluster://:not-to-be-told@127.0.0.1:${port}`],
  ])('%s that says nothing, or is not there, is named, and its password is not', async (_, urlOf) => {
    for (const port of [await silence(), await freePort()]) {
      const client = connectRedis(urlOf(port), { purpose: 'once', onError: () => {} });
      const error = await untilReady(client, 300).then(
        () => undefined,
        (reason: Error) => reason,
      );
      client.disconnect();
      expect(error?.message).toMatch(new RegExp(`^Redis cannot be reached at 127\\.0\\.0\\.1:${port}: .`));
      expect(error?.message).not.toContain('not-to-be-told');
    }
  });
});
