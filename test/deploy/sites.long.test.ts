import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startConsole } from '../../src/console/server.ts';
import { BEARER_PREFIX, SUBPROTOCOL } from '../../src/protocol/constants.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import type { Limits } from '../../src/gateway/limits.ts';
import { SOCKET_LIMITS } from '../../src/gateway/sockets/limits.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { follow, tokenFor } from '../support/client.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { stockSale, tee } from '../gateway/sales/stage.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { command, haproxy, stateOf } from './haproxy.ts';
import { nginx } from './nginx.ts';
import type { Balancer, Change, Site } from './site.ts';

const { server, redis } = await openRedis();
for (const { name } of [nginx, haproxy]) await stockRain(redis, { rainId: name, amounts: ['7.10'] });

type OpenOptions = { limits?: Partial<Limits>; gateways?: number; changes?: readonly Change[] };

/** Gateways and page behind a real balancer that serves its file of deploy/. */
async function open(
  balancer: Balancer,
  { limits = {}, gateways: count = 1, changes = [] }: OpenOptions = {},
): Promise<{ site: Site; gateways: Gateway[] }> {
  const gateways = await Promise.all(
    Array.from({ length: count }, () => openGateway(server.url, { trustedProxies: 1, limits })),
  );
  const pageFolder = join(temporaryFolder(), 'page');
  mkdirSync(pageFolder);
  writeFileSync(join(pageFolder, 'index.html'), '<!doctype html><title>a page</title>');
  const context = await startConsole({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: gateways[0]!.url,
    pageFolder,
    log: createLog('console', 'silent'),
  });
  onTestFinished(async () => {
    await Promise.all([...gateways.map((gateway) => gateway.close()), context.close()]);
  });
  const site = await balancer.serve(
    temporaryFolder(),
    { gateways: gateways.map(portOf), console: portOf(context) },
    changes,
  );
  onTestFinished(() => site.close());
  return { site, gateways };
}

const portOf = ({ url }: { url: string }): number => Number(new URL(url).port);

/** @param localAddress address of the player in the loopback network */
async function socketOf(
  { https }: Site,
  userId: string,
  localAddress: string,
  headers: Record<string, string> = {},
): Promise<WebSocket> {
  const socket = new WebSocket(`wss://127.0.0.1:${https}/v1`, [SUBPROTOCOL, BEARER_PREFIX + (await tokenFor(userId))], {
    localAddress,
    headers,
    rejectUnauthorized: false,
  });
  onTestFinished(() => socket.terminate());
  return socket;
}

async function knock(
  site: Site,
  userId: string,
  localAddress: string,
  headers?: Record<string, string>,
): Promise<number> {
  const socket = await socketOf(site, userId, localAddress, headers);
  socket.on('error', () => {});
  return await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, response]) => (response as { statusCode: number }).statusCode),
  ]);
}

describe.for([nginx, haproxy])('through $name', (balancer) => {
  describe.skipIf(balancer.missing)(balancer.missing ?? 'as delivered', () => {
    test('a player joins, grabs and wins over wss, and receives the close codes of the gateway', async () => {
      const { site } = await open(balancer);
      const ann = follow(await socketOf(site, 'ann', '127.0.0.1'));
      expect(await ann.next('welcome')).toMatchObject({ userId: 'ann' });
      ann.say({ type: 'grab', rainId: balancer.name, ref: 'a' });
      expect(await ann.next('result')).toMatchObject({ ref: 'a', code: '0', amount: '7.10' });
      for (let i = 0; i < 40; i++) ann.say('not json');
      expect(await ann.closed).toBe(4429);
    });

    test('a buyer without a socket buys, waits for the order, and counts by the own address', async () => {
      const { site } = await open(balancer, { limits: { messagesPerAddressPerSecondMax: 20 } });
      await stockSale(redis, { saleId: balancer.name, items: [tee(5)], perUserMax: 1 });
      const authorization = `Bearer ${await tokenFor('bea')}`;
      const ask = async (method: string, path: string, localAddress: string, body?: string) => {
        const [response] = await once(
          request({
            host: '127.0.0.1',
            port: site.https,
            path,
            method,
            localAddress,
            rejectUnauthorized: false,
            agent: false,
            headers: {
              authorization,
              ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(body.length) }),
            },
          }).end(body),
          'response',
        );
        return [response.statusCode, JSON.parse(await text(response)) as { code?: string; status?: string }] as const;
      };
      expect(await ask('POST', `/v1/sales/${balancer.name}/buy`, '127.0.0.2', '{"sku":"tee"}')).toMatchObject([
        200,
        { code: '0', status: 'reserved' },
      ]);
      expect(await ask('GET', `/v1/orders/${balancer.name}-1?wait=1`, '127.0.0.2')).toMatchObject([
        200,
        { code: '1', status: 'reserved' },
      ]);
      const crowd = await Promise.all(
        Array.from({ length: 60 }, () => ask('GET', `/v1/sales/${balancer.name}`, '127.0.0.3')),
      );
      expect(crowd.filter(([status]) => status === 429).length).toBeGreaterThan(0);
      expect((await ask('GET', `/v1/sales/${balancer.name}`, '127.0.0.2'))[0], 'another address').toBe(200);
    });

    test("the address is the player's own, whatever the client sends in X-Forwarded-For", async () => {
      const { site } = await open(balancer, { limits: { socketsPerAddressMax: 1 } });
      expect(await knock(site, 'ann', '127.0.0.2')).toBe(101);
      expect(await knock(site, 'bob', '127.0.0.3')).toBe(101);
      expect(await knock(site, 'eve', '127.0.0.2', { 'x-forwarded-for': '203.0.113.9' })).toBe(429);
    });

    test('the page comes by https, and plain http only shows the way there', async () => {
      const {
        site: { http, https },
      } = await open(balancer);
      const [page] = await once(
        request({ host: '127.0.0.1', port: https, path: '/', rejectUnauthorized: false, agent: false }).end(),
        'response',
      );
      expect([page.statusCode, await text(page)]).toEqual([200, '<!doctype html><title>a page</title>']);
      const plain = await fetch(`http://127.0.0.1:${http}/v1?a=b`, {
        redirect: 'manual',
        headers: { host: 'rain.example.com' },
      });
      expect([plain.status, new URL(plain.headers.get('location')!).protocol]).toEqual([308, 'https:']);
    });

    test('operators who guess passwords are refused by their address, others are let through', async () => {
      const { site } = await open(balancer);
      const signIn = async (localAddress: string) => {
        const [response] = await once(
          request({
            host: '127.0.0.1',
            port: site.https,
            path: '/api/console/session',
            method: 'POST',
            localAddress,
            rejectUnauthorized: false,
            agent: false,
          }).end(),
          'response',
        );
        response.resume();
        return response.statusCode as number;
      };
      const statuses: number[] = [];
      for (let i = 0; i < 60; i++) statuses.push(await signIn('127.0.0.4'));
      expect([statuses[0] === 429, statuses.at(-1)]).toEqual([false, 429]);
      expect(await signIn('127.0.0.5')).not.toBe(429);
    });

    test('a player of each gateway who only waits is kept by the pings, and the next one comes to the gateway with the fewest', async () => {
      const { site, gateways } = await open(balancer, {
        gateways: 3,
        limits: { heartbeatMs: 400 },
        changes: balancer.impatient,
      });
      const players: WebSocket[] = [];
      for (let i = 0; i < 9; i++) {
        const player = await socketOf(site, `player-${i}`, '127.0.0.2');
        await once(player, 'open');
        players.push(player);
      }
      expect(gateways.map((gateway) => gateway.sockets())).toEqual([3, 3, 3]);
      // Three seconds: longer than the shortened timeouts.
      for (let pings = 0; pings < 8; pings++) await Promise.all(players.map((player) => once(player, 'ping')));
      expect(players.map(({ readyState }) => readyState)).toEqual(players.map(() => WebSocket.OPEN));
      expect(Number.parseInt(balancer.impatient[0]![0].split(' ').at(-1)!, 10) * 1_000, 'as delivered').toBeGreaterThan(
        2 * (SOCKET_LIMITS.heartbeatMs + SOCKET_LIMITS.pongMs),
      );
    });

    test('a gateway that is gone: its players are let in by another at the first try', async () => {
      const {
        site,
        gateways: [first, second],
      } = await open(balancer, { gateways: 2 });
      expect(await knock(site, 'a', '127.0.0.2')).toBe(101);
      await first!.close();
      for (const name of ['b', 'c', 'd', 'e']) expect(await knock(site, name, '127.0.0.2')).toBe(101);
      expect(second!.sockets()).toBeGreaterThanOrEqual(4);
    });
  });
});

describe.skipIf(haproxy.missing)('several gateways behind HAProxy', () => {
  test('one that is taken out keeps its players and gets no more; put back, it gets the next ones', async () => {
    const {
      site,
      gateways: [first, second],
    } = await open(haproxy, { gateways: 2 });
    // One after the other: two threads of HAProxy that choose at once may choose the same gateway.
    const players: WebSocket[] = [];
    for (const name of ['a', 'b']) {
      const player = await socketOf(site, name, '127.0.0.2');
      await once(player, 'open');
      players.push(player);
    }
    await command(site, 'set server rain_gateway/g1 state drain');
    for (const name of ['c', 'd', 'e']) expect(await knock(site, name, '127.0.0.2')).toBe(101);
    expect([first!.sockets(), second!.sockets()]).toEqual([1, 4]);
    expect(players.map(({ readyState }) => readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
    await command(site, 'set server rain_gateway/g1 state ready');
    for (const name of ['f', 'g', 'h']) expect(await knock(site, name, '127.0.0.2')).toBe(101);
    expect([first!.sockets(), second!.sockets()]).toEqual([4, 4]);
    // "UP 1/2" until HAProxy has checked it for the first time.
    for (const gateway of [1, 2]) await expect.poll(() => stateOf(site, gateway), { timeout: 10_000 }).toBe('UP');
  });
});
