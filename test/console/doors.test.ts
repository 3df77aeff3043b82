import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Console } from '../../src/console/server.ts';
import { eventually } from '../support/eventually.ts';
import { openTestConsole, type TestConsole } from '../support/servers/testConsole.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await openTestConsole();
});
afterAll(() => testConsole?.stop());

const portOf = ({ url }: Pick<Console, 'url'>) => Number(new URL(url).port);
/** The answer to these bytes, until the server closes. */
async function answerTo(server: Pick<Console, 'url'>, head: string): Promise<string> {
  const socket = connect(portOf(server), '127.0.0.1');
  socket.write(head);
  return text(socket);
}

describe('the name by which the console is addressed', () => {
  const asking = (...hosts: string[]) =>
    answerTo(
      testConsole,
      ['GET /api/config HTTP/1.1', ...hosts.map((host) => `Host: ${host}`), 'Connection: close', '', ''].join('\r\n'),
    );

  test.each([
    ['a bare address', '127.0.0.1:8686'],
    ['an address of IPv6', '[::1]:8686'],
    ['localhost', 'localhost'],
    ['in capitals', 'LOCALHOST'],
  ])('%s is one of ours', async (_what, host) => {
    expect(await asking(host)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['of another site, pointed here', ['evil.example']],
    ['two of them', ['localhost', 'evil.example']],
    ['twice the same', ['localhost', 'localhost']],
    ['of another site behind one of ours', ['localhost:80@evil.example']],
    ['behind an address', ['[::1].evil.example']],
  ])('a name %s is refused', async (_what, hosts) => {
    const answer = await asking(...hosts);
    expect(answer).toMatch(/^HTTP\/1\.1 4(21|00) /);
    expect(answer).not.toContain('gatewayUrl');
  });

  test('an address in place of the path names a host, too', async () => {
    for (const target of ['http://evil.example/api/config', 'http://localhost/api/config', '*'])
      expect(
        await answerTo(testConsole, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
        target,
      ).toMatch(/^HTTP\/1\.1 4(21|00) /);
  });

  test('what follows a request that others may have read differently is not answered', async () => {
    const second = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
    // Node reads the first 2,000 headers.
    for (const lines of ['Host: localhost\r\n', 'a:\r\n'.repeat(2_000) + 'Host: evil.example\r\n']) {
      const answer = await answerTo(
        testConsole,
        `GET /api/config HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n${second}`,
      );
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([expect.stringMatching(/4(21|00)$/)]);
    }
  });

  test.each(['Authorization', 'Origin', 'Content-Type'])(
    'a request with two of %s, of which a proxy may read the other one, is refused',
    async (name) => {
      const askingWith = (lines: string) =>
        answerTo(testConsole, `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${lines}Connection: close\r\n\r\n`);
      expect(await askingWith(`${name}: a\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
      expect(await askingWith(`${name}: a\r\n${name.toLowerCase()}: a\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    },
  );

  test('a name that is configured is one of ours', async () => {
    const named = await testConsole.another({ names: new Set(['rain.example.com']) });
    expect(
      await answerTo(named, 'GET /api/config HTTP/1.1\r\nHost: rain.example.com\r\nConnection: close\r\n\r\n'),
    ).toMatch(/^HTTP\/1\.1 200 /);
    await named.close();
  });

  test('what a proxy passes on as X-Forwarded-Host stands beside the Host, not in its place', async () => {
    const behind = await testConsole.another({ requestOrigin: { trustedProxies: 1, secureCookies: 'auto' } });
    const via = (host: string, forwarded: string) =>
      answerTo(
        behind,
        `GET /api/config HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: ${forwarded}\r\nConnection: close\r\n\r\n`,
      );
    for (const [host, forwarded] of [
      ['evil.example', 'localhost'],
      ['localhost', 'evil.example'],
    ] as const)
      expect(await via(host, forwarded), host).toMatch(/^HTTP\/1\.1 421 /);
    expect(await via('localhost', 'localhost:8686')).toMatch(/^HTTP\/1\.1 200 /);
    await behind.close();
  });
});

test('[R10] one address holds a limited number of connections, and all together do', async () => {
  const narrow = await testConsole.another({ connections: { connectionsMax: 30, perAddressMax: 20 } });
  const sockets: Socket[] = [];
  const openFrom = (localAddress: string) => {
    const socket = connect({ port: portOf(narrow), host: '127.0.0.1', localAddress }).on('error', () => {});
    sockets.push(socket);
  };
  for (let n = 0; n < 40; n++) openFrom('127.0.0.2');
  await eventually(() => expect(sockets.filter(({ readyState }) => readyState === 'open')).toHaveLength(20));
  for (let n = 0; n < 20; n++) openFrom('127.0.0.3');
  await eventually(() => expect(sockets.filter(({ readyState }) => readyState === 'open')).toHaveLength(30));
  // Sockets that close make room.
  for (const socket of sockets) socket.destroy();
  await eventually(async () => expect((await fetch(`${narrow.url}/healthz`)).status).toBe(200));
  await narrow.close();
});

test('[R10] a head that does not come to its end is cut off', async () => {
  const socket = connect(portOf(testConsole), '127.0.0.1');
  const began = performance.now();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
  socket.resume();
  await once(socket, 'close');
  expect(performance.now() - began).toBeLessThan(20_000);
});
