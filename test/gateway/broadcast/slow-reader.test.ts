import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { BEARER_PREFIX, SUBPROTOCOL } from '../../../src/protocol/constants.ts';
import { EVENTS_CHANNEL } from '../../../src/store/keys.ts';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { clientFrame } from '../sockets/frames.ts';
import { dial, SECRET, tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis, stockRain } from '../../support/rain.ts';
import { runScript } from '../../support/script.ts';
import { creditedEvent, SIGNING_SECRET } from '../../support/signer.ts';

const { server, redis } = await openRedis();
await stockRain(redis, { rainId: 'r1', amounts: ['1.00'] });

const READERS = 12;
/** Bytes per broadcast: the largest that one event can send to one user. */
const CLAIMS = 500;
/** The most that the kernels of both ends buffer before a writer notices that nobody reads. */
const KERNEL_BYTES_MAX = 16_000_000;

async function startGateway() {
  const gateway = runScript(new URL('../processes/measured-gateway.mjs', import.meta.url), [
    server.url,
    SECRET,
    SIGNING_SECRET,
  ]);
  const { port } = JSON.parse(await gateway.nextLine()) as { port: number };
  const measure = async () => {
    gateway.process.kill('SIGUSR2');
    return JSON.parse(await gateway.nextLine()) as {
      sockets: number;
      bytes: number;
      closes: Record<string, number>;
      refused: Record<string, number>;
    };
  };
  return { port, measure };
}

/** Connects and then never reads. */
async function enterDeaf(port: number, user: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => {});
  socket.write(
    'GET /v1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
      `Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: ${SUBPROTOCOL}, ${BEARER_PREFIX}${await tokenFor(user)}\r\n\r\n`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString('latin1')).toMatch(/^HTTP\/1.1 101/);
  socket.pause();
  return socket;
}

test('[R10] a client that never reads is closed with 4413 during a broadcast: memory stays flat, and other clients miss nothing', async () => {
  const { port, measure } = await startGateway();
  const reader = await dial(`ws://127.0.0.1:${port}/v1`, 'reader');
  let received = 0;
  reader.socket.on('message', (data) => {
    if (String(data).includes('"credited"')) received++;
  });
  for (let i = 0; i < READERS; i++) await enterDeaf(port, 'deaf');
  const before = await measure();
  expect(before.sockets).toBe(READERS + 1);

  const event = (userId: string, count: number) =>
    creditedEvent(
      'r1',
      Array.from({ length: count }, (_, i) => ({ userId, redPacketId: `r1-${i}-${'x'.repeat(80)}`, amount: '1.00' })),
    );
  const flood = event('deaf', CLAIMS);
  let [most, sent, events] = [before.bytes, 0, 0];
  for (let now = before; now.sockets > 1; now = await measure(), most = Math.max(most, now.bytes)) {
    expect(sent, 'the readers are still there').toBeLessThan(KERNEL_BYTES_MAX);
    for (let n = 0; n < 4; n++) await redis.publish(EVENTS_CHANNEL, flood);
    await redis.publish(EVENTS_CHANNEL, event('reader', 1));
    events++;
    sent += 4 * flood.length;
  }
  const after = await measure();
  expect([after.closes['4413'], after.refused['send_buffer']]).toEqual([READERS, READERS]);
  // The unsent bytes that one socket may hold, one frame more, and the overhead of the queue of so many small frames.
  expect(most - before.bytes, `${before.bytes} bytes before, ${most} at most`).toBeLessThan(
    READERS * LIMITS.sendBufferBytesMax * 3,
  );
  await eventually(async () => expect((await measure()).bytes - before.bytes).toBeLessThan(2_000_000));
  await eventually(() => received === events);
  await reader.leave();
}, 60_000);

test('[R10] a client that pings and never reads is closed as well', async () => {
  const { port, measure } = await startGateway();
  const deaf = await enterDeaf(port, 'pinging');
  const ping = Buffer.concat(Array.from({ length: 50 }, () => clientFrame(Buffer.alloc(125), 9)));
  const timer = setInterval(() => deaf.write(ping), 5);
  onTestFinished(() => clearInterval(timer));
  await eventually(async () => expect((await measure()).sockets).toBe(0), { timeoutMs: 20_000 });
  // More pings than the message bucket holds: that limit is reached long before any buffer is full.
  expect((await measure()).closes['4430']).toBe(1);
}, 30_000);
