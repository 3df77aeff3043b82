import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { runWave, type WaveOptions } from '../../src/loadtest/wave.ts';
import { tokenFor } from '../support/client.ts';
import { freePort } from '../support/freePort.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';

const { server, redis } = await openRedis();

/** Bots that would not lose patience for minutes, unless the wave does. */
const wave = (url: string, options: Partial<WaveOptions> = {}) =>
  runWave({ url, rainId: 'r', users: 3, tokenFor, seed: '0ff5'.repeat(16), reachMs: 400, ...options });

async function listening(listener: Server | HttpServer): Promise<string> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => {
    listener.close();
  });
  return `ws://127.0.0.1:${(listener.address() as AddressInfo).port}`;
}

const web = (status: number) => listening(createHttpServer((_, response) => response.writeHead(status).end()));

describe('[R10] a wave without any socket ends soon and reports the reason', () => {
  test('nobody listens', async () => {
    const port = await freePort();
    const report = await wave(`ws://127.0.0.1:${port}`);
    expect(report.unreached).toEqual({ reason: `connect ECONNREFUSED 127.0.0.1:${port}` });
    expect(report).toMatchObject({ outcomes: [{ name: 'aborted', count: 3 }], winners: 0 });
  });

  test('a server accepts but never answers', async () => {
    const url = await listening(
      createServer((socket) => {
        socket.on('error', () => {});
        onTestFinished(() => {
          socket.destroy();
        });
      }),
    );
    expect((await wave(url)).unreached).toEqual({ reason: 'no answer within 0.4 s' });
  });

  test('a web server that is no gateway', async () => {
    expect((await wave(await web(200))).unreached).toEqual({ reason: 'answered with HTTP 200', status: 200 });
  });

  test('a gateway that is full, or one before which a proxy stands alone', async () => {
    expect((await wave(await web(503))).unreached).toEqual({
      reason: 'answered with HTTP 503 unavailable',
      status: 503,
    });
  });

  test('a WebSocket server that speaks something else', async () => {
    const other = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => false });
    await once(other, 'listening');
    onTestFinished(() => {
      for (const client of other.clients) client.terminate();
      other.close();
    });
    expect((await wave(`ws://127.0.0.1:${(other.address() as AddressInfo).port}`)).unreached).toEqual({
      reason: 'Server sent no subprotocol',
    });
  });
});

describe('a wave that was heard', () => {
  test('goes on for as long as its bots have patience, though the gateway takes no more of them', async () => {
    const gateway = await openGateway(server.url, { limits: { socketsMax: 1 } });
    onTestFinished(() => gateway.close());
    await stockRain(redis, { rainId: 'narrow-door', amounts: ['1.00', '1.00', '1.00'], opensInMs: 1_500 });
    const report = await wave(gateway.url, {
      rainId: 'narrow-door',
      reachMs: 500,
      reactionMs: { min: 0, max: 0 },
      retryPolicy: { backoffMsMin: 20, backoffMsMax: 50, dialsMax: 10_000 },
    });
    expect(report).toMatchObject({ outcomes: [{ name: 'won', count: 3 }], told: '3.00' });
    expect(report.failedDials).toBeGreaterThan(0);
    expect(report).not.toHaveProperty('unreached');
  });

  test('is no wave when it was called off before it began: nothing is said about the gateway', async () => {
    expect(await wave('ws://127.0.0.1:1', { signal: AbortSignal.abort() })).not.toHaveProperty('unreached');
  });
});
