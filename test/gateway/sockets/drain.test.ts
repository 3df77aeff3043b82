import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { reconnectWindowMs } from '../../../src/gateway/sockets/drain.ts';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { dial, tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { openRedis, stockRain } from '../../support/rain.ts';

const { server, redis } = await openRedis();

describe('a gateway that closes', () => {
  test('the reconnect window grows with the number of sockets, so that the reconnect rate stays the same', () => {
    expect([0, 1, 1_000, 5_000, 18_000, 100_000].map((sockets) => reconnectWindowMs(sockets, LIMITS))).toEqual([
      1_000, 1_000, 1_000, 5_000, 18_000, 30_000,
    ]);
    expect(reconnectWindowMs(18_000, { ...LIMITS, reconnectsPerSecond: 3_000 })).toBe(6_000);
  });

  test('is not ready, admits nobody, answers pending grabs and refuses new ones with "busy", then sends every client a goodbye', async () => {
    await stockRain(redis, { rainId: 'r1', amounts: ['1.00'] });
    const gateway = await openGateway(server.url);
    const http = gateway.url.replace('ws:', 'http:').replace('/v1', '');
    const ann = await dial(gateway.url, 'ann');
    ann.say({ type: 'join', rainId: 'r1' });
    await ann.next('rain');
    process.kill(server.pid, 'SIGSTOP');
    let closed: Promise<void>;
    try {
      ann.say({ type: 'grab', rainId: 'r1', ref: 'before' });
      ann.say({ type: 'ping', t: 1 });
      await ann.next('pong');
      closed = gateway.close();
      expect((await fetch(`${http}/readyz`)).status).toBe(503);
      expect((await fetch(`${http}/healthz`)).status).toBe(200);
      const late = new WebSocket(gateway.url, ['rain.v1', `bearer.${await tokenFor('bob')}`]);
      late.on('error', () => {});
      const [, response] = (await once(late, 'unexpected-response')) as [
        unknown,
        { statusCode: number; headers: Record<string, string> },
      ];
      expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1']);
      late.terminate();
      ann.say({ type: 'grab', rainId: 'r1', ref: 'during' });
      const busy = await ann.next('result');
      expect(busy).toMatchObject({ code: '-7', ref: 'during' });
      // After the restart, as the goodbye will say.
      expect(busy.retryInMs).toBeGreaterThanOrEqual(LIMITS.reconnectMsMin);
      expect(busy.retryInMs).toBeLessThan(LIMITS.reconnectMsMin + LIMITS.reconnectWindowMsMax);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    expect(await ann.next('result')).toMatchObject({ code: '0', ref: 'before', amount: '1.00' });
    expect(await ann.next('goodbye')).toMatchObject({
      reason: 'service_restart',
      reconnectInMs: expect.any(Number) as number,
    });
    expect(await ann.closed).toBe(1012);
    await closed;
  });

  test('[R10] one deadline bounds the shutdown: neither an unreachable Redis nor a peer that does not hang up delays it', async () => {
    const gateway = await openGateway(server.url, { limits: { closeMs: 1_000 } });
    const [cat, deaf] = [await dial(gateway.url, 'cat'), await dial(gateway.url, 'deaf')];
    cat.say({ type: 'join', rainId: 'r1' });
    await cat.next('rain');
    deaf.socket.pause();
    process.kill(server.pid, 'SIGSTOP');
    try {
      cat.say({ type: 'grab', rainId: 'r1' });
      cat.say({ type: 'ping', t: 1 });
      await cat.next('pong');
      const late = sleep(1_800, 'late');
      expect(await Promise.race([Promise.all([gateway.close(), gateway.close()]), late])).not.toBe('late');
      expect(deaf.socket.readyState).toBe(WebSocket.OPEN);
      expect(await cat.closed).toBe(1012);
      // Nor did it wait until the pending grab timed out.
      await expect(cat.next('result')).rejects.toThrow('closed with 1012');
    } finally {
      process.kill(server.pid, 'SIGCONT');
      deaf.socket.resume();
    }
    await deaf.closed;
  });

  test('[R10] the event loop stays responsive while 2,000 sockets are closed', async () => {
    const gateway = await openGateway(server.url, { limits: { socketsPerUserMax: 3_000 } });
    const clients = [];
    for (let i = 0; i < 10; i++)
      clients.push(...(await Promise.all(Array.from({ length: 200 }, () => dial(gateway.url, 'crowd')))));
    await eventually(() => gateway.sockets() === 2_000);
    await gateway.close();
    expect(new Set(await Promise.all(clients.map(({ closed }) => closed)))).toEqual(new Set([1012]));
  });
});
