import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { streamOf } from '../../src/console/routes/bodyStream.ts';
import { startConsole } from '../../src/console/server.ts';
import { cutUnreadAnswers } from '../../src/console/unreadAnswers.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';

const MUSIC = Buffer.alloc(4 * 1_024 * 1_024, 'm');
const LIST = JSON.stringify(Array.from({ length: 1_500_000 }, String));
const LIMITS = {
  silentMsMax: 2_000,
  silentMsMaxUnseen: 2_000,
  bytesPerSecondMin: 0,
  startMsMax: 1_000,
  checkMs: 200,
};

/** Asks, and reads nothing of its own accord. */
function asker(port: number, path = '/', localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
  socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Reads at this rate until so many bytes came, or the server hangs up. */
async function readSlowly(socket: Socket, bytesPerSecond: number, bytes: number): Promise<number> {
  let [read, due] = [0, 0];
  let ended = false;
  socket.once('close', () => {
    ended = true;
  });
  socket.on('readable', () => {});
  const began = performance.now();
  while (read < bytes && !ended) {
    await sleep(50);
    due = ((performance.now() - began) / 1_000) * bytesPerSecond;
    while (read < due) {
      const part = socket.read(Math.max(1, Math.min(socket.readableLength, Math.ceil(due - read)))) as Buffer | null;
      if (!part) break;
      read += part.length;
    }
  }
  return read;
}

async function serve(answer: (answer: ServerResponse) => void, own: Partial<typeof LIMITS> = {}) {
  const open = new Set<unknown>();
  const server: Server = createServer((_request, response) => answer(response));
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  cutUnreadAnswers(server, { ...LIMITS, ...own });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, open };
}

/** A stream that goes on whatever is read. */
function live(answer: ServerResponse): void {
  answer.writeHead(200, { 'content-type': 'text/event-stream' });
  const samples = setInterval(() => answer.write('x'.repeat(32 * 1_024)), 10);
  answer.once('close', () => clearInterval(samples));
}

const KINDS: [string, (answer: ServerResponse) => void][] = [
  ['a whole file', (answer) => void answer.end(MUSIC)],
  ['a list in JSON', (answer) => void answer.end(LIST)],
  ['an export that is streamed', (answer) => void streamOf(Buffer.concat([MUSIC, MUSIC])).pipe(answer)],
  ['a live stream', live],
];

describe('[R10] an answer that nobody reads', () => {
  test.each(KINDS)('is cut: %s', async (_kind, answer) => {
    const { port, open } = await serve(answer);
    for (let n = 0; n < 10; n++) asker(port);
    await eventually(() => expect(open.size).toBe(10));
    await eventually(() => expect(open.size).toBe(0), { timeoutMs: 10_000 });
  });

  test('is cut, too, where next to nothing is read', async () => {
    const { port, open } = await serve(KINDS[0]![1], { silentMsMax: 60_000, bytesPerSecondMin: 400_000 });
    const socket = asker(port);
    await readSlowly(socket, 150_000, MUSIC.length);
    expect(open.size).toBe(0);
  });
});

describe('[R10] an answer goes on', () => {
  test.each(KINDS.slice(0, 3))('to a phone that reads slowly: %s', async (_kind, answer) => {
    const { port } = await serve(answer);
    const socket = asker(port);
    expect(await readSlowly(socket, 500_000, 2_500_000)).toBeGreaterThanOrEqual(2_500_000);
  });

  test('that takes long to make, and a live stream that has nothing to say', async () => {
    const { port } = await serve((answer) => {
      answer.writeHead(200).write('retry: 2000\n\n');
      void sleep(LIMITS.silentMsMax * 2).then(() => answer.end('late'));
    });
    const socket = asker(port);
    let heard = '';
    socket.on('data', (part) => {
      heard += String(part);
    });
    socket.resume();
    await eventually(() => expect(heard).toContain('late'), { timeoutMs: 10_000 });
  });
});

test('[R10] a console whose music one address asks for and does not read answers the others, and that address again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-unread-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'large.js'), MUSIC);
  const server = await startConsole({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: 'ws://127.0.0.1:8687/v1',
    pageFolder: folder,
    log: createLog('console', 'silent'),
    theme: {
      themes: {
        greeting: async () => undefined,
        invitedGreeting: async () => undefined,
        show: async () => ({}),
        file: async () => ({ type: 'audio/mpeg', bytes: MUSIC }),
      },
      allowedOrigins: [],
    },
    connections: { connectionsMax: 60, perAddressMax: 40 },
    unread: LIMITS,
  });
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const port = Number(new URL(server.url).port);
  const slow = asker(port, '/large.js', '127.0.0.3');
  const finishes = readSlowly(slow, 500_000, MUSIC.length);
  for (let n = 0; n < 40; n++) asker(port, n % 2 === 0 ? '/api/theme/files/a.mp3' : '/large.js', '127.0.0.2');
  const isAnswered = async (localAddress: string) => {
    const asking = request(`${server.url}/healthz`, { localAddress, agent: false }).end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode === 200;
  };
  expect(await isAnswered('127.0.0.1')).toBe(true);
  await expect(isAnswered('127.0.0.2')).rejects.toThrow();
  await eventually(() => isAnswered('127.0.0.2'), { timeoutMs: 15_000 });
  expect(await finishes).toBeGreaterThanOrEqual(MUSIC.length);
});
