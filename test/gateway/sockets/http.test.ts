import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, onTestFinished as whenThisIsOver, test } from 'vitest';
import { WebSocket } from 'ws';
import { dial, follow, tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { handshake } from '../../support/handshake.ts';
import { openRedis } from '../../support/rain.ts';

const { server } = await openRedis();
const HANDSHAKE_MS = 1_000;
const gateway = await openGateway(server.url, {
  limits: { handshakeMs: HANDSHAKE_MS, hangUpMs: 500 },
  allowedOrigins: ['https://gala.example'],
});
afterAll(() => gateway.close());

interface Line {
  socket: Socket;
  received(): string;
  /** Resolves with everything the gateway has sent, once it has closed the connection. */
  ended: Promise<string>;
}

/** @param onTestFinished the finish of a concurrent test */
async function call({
  halfOpen = false,
  onTestFinished = whenThisIsOver,
}: { halfOpen?: boolean; onTestFinished?: typeof whenThisIsOver } = {}): Promise<Line> {
  const socket = connect({ port: gateway.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: halfOpen });
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => {});
  let received = '';
  socket.on('data', (data: Buffer) => {
    received += data.toString('latin1');
  });
  await once(socket, 'connect');
  return {
    socket,
    received: () => received,
    ended: new Promise((resolve) => socket.once('close', () => resolve(received))),
  };
}

const statuses = (received: string): string[] =>
  [...received.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status!);

const UPGRADE =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
const upgrade = async (more = '', line = 'GET /v1 HTTP/1.1') =>
  `${line}\r\nHost: x\r\n${UPGRADE}Sec-WebSocket-Protocol: rain.v1, bearer.${await tokenFor('ann')}\r\n${more}\r\n`;

describe('[R10] slow peers', () => {
  test.concurrent.for<[string, (socket: Socket, n: number) => void]>([
    [
      'slowloris: a head that comes letter by letter',
      (socket, n) => socket.write('GET /v1 HTTP/1.1\r\nHost: x\r\nX-Padding: '[n] ?? 'x'),
    ],
    [
      'slowloris: a header line now and then',
      (socket, n) => socket.write(n === 0 ? 'GET /v1 HTTP/1.1\r\nHost: x\r\n' : `X-${n}: y\r\n`),
    ],
    ['a client that connects and sends nothing', () => {}],
  ])('%s is cut at the end of the handshake time, and does not delay anybody', async ([, drip], { onTestFinished }) => {
    const begun = performance.now();
    const slow = await call({ onTestFinished });
    let n = 0;
    const timer = setInterval(() => drip(slow.socket, n++), 50);
    onTestFinished(() => clearInterval(timer));
    expect((await handshake(gateway.url, 'ann')).status).toBe('open');
    // Not earlier: on a busy machine the connection itself may take as long.
    if (performance.now() - begun < HANDSHAKE_MS) expect(slow.received()).toBe('');
    // By our own handshake limit, not by Node's default of a minute.
    await eventually(() => slow.socket.closed);
    expect(statuses(await slow.ended)).toEqual(['408']);
  });

  test('a refused peer that does not hang up is cut', async () => {
    const line = await call({ halfOpen: true });
    line.socket.write(await upgrade('', 'GET /elsewhere HTTP/1.1'));
    await eventually(() => line.received().includes('"reason":"not_found"'));
    // Sending more does not help.
    const timer = setInterval(() => line.socket.write('x'.repeat(1_000)), 20);
    whenThisIsOver(() => clearInterval(timer));
    await eventually(() => line.socket.closed);
  });
});

describe('[R12] an oversized head', () => {
  test.each<[string, string]>([
    ['one long header', `X-Long: ${'x'.repeat(17_000)}\r\n`],
    ['many short ones', Array.from({ length: 5_000 }, (_, i) => `X-${i}: y\r\n`).join('')],
    ['a long token', `Authorization: Bearer ${'a'.repeat(20_000)}\r\n`],
  ])('%s: 431', async (_, more) => {
    const line = await call();
    line.socket.write(await upgrade(more));
    expect(statuses(await line.ended)).toEqual(['431']);
  });

  test('more headers than any client sends: 400, since later ones might be overlooked', async () => {
    for (const [count, status] of [
      [80, '101'],
      [101, '400'],
      [2_050, '400'],
    ] as const) {
      const line = await call();
      line.socket.write(await upgrade(Array.from({ length: count }, () => 'a:\r\n').join('')));
      await eventually(() => line.received().includes('\r\n\r\n'));
      expect([count, statuses(line.received())]).toEqual([count, [status]]);
      line.socket.destroy();
    }
  });

  test('a long URL: 431, and one of an acceptable length 404', async () => {
    const line = await call();
    line.socket.write(await upgrade('', `GET /${'x'.repeat(20_000)} HTTP/1.1`));
    expect(statuses(await line.ended)).toEqual(['431']);
    const other = await call();
    other.socket.write(await upgrade('', `GET /${'x'.repeat(2_000)} HTTP/1.1`));
    expect(statuses(await other.ended)).toEqual(['404']);
  });
});

describe('[R12] what a proxy and we might read as two different requests is refused, and no second request is ever answered', () => {
  const SECOND = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  test.each<[string, string]>([
    [
      'a length and chunks',
      `GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`,
    ],
    ['two lengths', `POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n${SECOND}`],
    ['chunks of an unknown kind', `POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n${SECOND}`],
    ['chunks', `POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`],
    ['a folded header', `GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: a\r\n\tContent-Length: 44\r\n\r\n${SECOND}`],
    ['two hosts', `GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n${SECOND}`],
    ['no host', `GET /healthz HTTP/1.1\r\n\r\n${SECOND}`],
    ['bare line feeds', SECOND.replaceAll('\r', '') + SECOND],
    ['a space before the colon', `POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length : 44\r\n\r\n${SECOND}`],
    ['a NUL in a header', `GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n${SECOND}`],
  ])('%s', async (_, bytes) => {
    const line = await call();
    line.socket.write(bytes);
    expect(statuses(await line.ended)).toEqual(['400']);
  });

  test('two good requests in one packet: the first is answered, and the connection is closed', async () => {
    const line = await call();
    line.socket.write(SECOND + SECOND);
    expect(statuses(await line.ended)).toEqual(['200']);
  });

  test.each<[string, string]>([
    ['a length', 'Content-Length: 44\r\n'],
    ['chunks', 'Transfer-Encoding: chunked\r\n'],
    ['a length and chunks', 'Content-Length: 44\r\nTransfer-Encoding: chunked\r\n'],
    ['another host', 'Host: y\r\n'],
  ])('an upgrade with %s', async (_, more) => {
    const line = await call();
    line.socket.write((await upgrade(more)) + SECOND);
    expect(statuses(await line.ended)).toEqual(['400']);
  });

  test('a request behind a granted upgrade is read as an invalid WebSocket frame', async () => {
    const line = await call();
    line.socket.write((await upgrade()) + SECOND);
    const received = await line.ended;
    expect(statuses(received)).toEqual(['101']);
    // 1002, protocol error.
    expect(Buffer.from(received, 'latin1').includes(Buffer.from([0x88, 0x02, 0x03, 0xea]))).toBe(true);
  });

  test('a request behind an upgrade that is refused is not answered', async () => {
    const line = await call();
    line.socket.write((await upgrade('Origin: https://evil.example\r\n')) + SECOND);
    expect(statuses(await line.ended)).toEqual(['403']);
  });
});

describe('the origin allow-list', () => {
  test.each<[string, string | undefined, number | 'open']>([
    ['a page that is listed', 'https://gala.example', 'open'],
    ['a native client, which sends none', undefined, 'open'],
    ['another page', 'https://evil.example', 403],
    ['the listed one over plain HTTP', 'http://gala.example', 403],
    ['another port of it', 'https://gala.example:8443', 403],
    ['one below it', 'https://a.gala.example', 403],
    ['one that begins like it', 'https://gala.example.evil.example', 403],
    ['an opaque one', 'null', 403],
    ['an empty one', '', 403],
  ])('%s', async (_, origin, status) => {
    expect((await handshake(gateway.url, 'ann', origin === undefined ? {} : { origin })).status).toBe(status);
  });
});

test('compression is never negotiated, however it is offered: a small frame could grow to any size', async () => {
  for (const offer of [
    'permessage-deflate',
    'permessage-deflate; client_max_window_bits; server_no_context_takeover',
    'permessage-deflate, x-webkit-deflate-frame',
  ]) {
    const line = await call();
    line.socket.write(await upgrade(`Sec-WebSocket-Extensions: ${offer}\r\n`));
    await eventually(() => line.received().includes('\r\n\r\n'));
    expect(statuses(line.received())).toEqual(['101']);
    expect(line.received()).not.toMatch(/sec-websocket-extensions/i);
    line.socket.destroy();
  }
});

test('[R10] a frame of 4,096 bytes is read, one byte more closes the socket, in one piece or in many', async () => {
  const message = (length: number) => `{"type":"ping","t":1}${' '.repeat(length - 21)}`;
  const good = await dial(gateway.url, 'ann');
  good.say(message(4_096));
  await good.next('pong');
  good.say(message(4_097));
  expect(await good.closed).toBe(1009);
  const pieces = follow(
    new WebSocket(gateway.url, ['rain.v1'], { headers: { authorization: `Bearer ${await tokenFor('ann')}` } }),
  );
  await pieces.next('welcome');
  pieces.socket.send(message(2_048), { fin: false });
  pieces.socket.send(' '.repeat(2_049), { fin: true });
  expect(await pieces.closed).toBe(1009);
});
