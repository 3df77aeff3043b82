import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startConsole } from '../../src/console/server.ts';
import { BEARER_PREFIX, SUBPROTOCOL } from '../../src/protocol/constants.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { follow, tokenFor } from '../support/client.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { stockSale, tee } from '../gateway/sales/stage.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { serveSite, WITHOUT_NGINX, type Site } from './nginx.ts';

const { server, redis } = await openRedis();
await stockRain(redis, { rainId: 'r1', amounts: ['7.10'] });

/** Gateway and page behind a real nginx that serves the site of deploy/. */
async function open(limits = {}): Promise<Site> {
  const gateway = await openGateway(server.url, { trustedProxies: 1, limits });
  const pageFolder = join(temporaryFolder(), 'page');
  mkdirSync(pageFolder);
  writeFileSync(join(pageFolder, 'index.html'), '<!doctype html><title>a page</title>');
  const context = await startConsole({ host: '127.0.0.1', port: 0, gatewayUrl: gateway.url, pageFolder, log: createLog('console', 'silent') });
  onTestFinished(async () => { await Promise.all([gateway.close(), context.close()]); });
  return await serveSite(Number(new URL(gateway.url).port), Number(new URL(context.url).port));
}

/** @param localAddress of the loopback network: where the player sits */
async function socketOf({ https }: Site, userId: string, localAddress: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  const socket = new WebSocket(`wss://127.0.0.1:${https}/v1`, [SUBPROTOCOL, BEARER_PREFIX + await tokenFor(userId)], { localAddress, headers, rejectUnauthorized: false });
  onTestFinished(() => socket.terminate());
  return socket;
}

async function knock(site: Site, userId: string, localAddress: string, headers?: Record<string, string>): Promise<number> {
  const socket = await socketOf(site, userId, localAddress, headers);
  socket.on('error', () => {});
  return await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, response]) => (response as { statusCode: number }).statusCode),
  ]);
}

test.skipIf(WITHOUT_NGINX)('through nginx: a player joins, grabs and wins over wss, and receives the close codes of the gateway', async () => {
  const site = await open();
  const ann = follow(await socketOf(site, 'ann', '127.0.0.1'));
  expect(await ann.next('welcome')).toMatchObject({ userId: 'ann' });
  ann.say({ type: 'grab', rainId: 'r1', ref: 'a' });
  expect(await ann.next('result')).toMatchObject({ ref: 'a', code: '0', amount: '7.10' });
  for (let i = 0; i < 40; i++) ann.say('not json');
  expect(await ann.closed).toBe(4429);
});

test.skipIf(WITHOUT_NGINX)('through nginx: a buyer without a socket buys, waits for the order, and counts by the own address', async () => {
  const site = await open({ messagesPerAddressPerSecondMax: 20 });
  await stockSale(redis, { saleId: 'autumn', items: [tee(5)], perUserMax: 1 });
  const authorization = `Bearer ${await tokenFor('bea')}`;
  const ask = async (method: string, path: string, localAddress: string, body?: string) => {
    const [response] = await once(request({
      host: '127.0.0.1', port: site.https, path, method, localAddress, rejectUnauthorized: false, agent: false,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(body.length) }) },
    }).end(body), 'response');
    return [response.statusCode, JSON.parse(await text(response)) as { code?: string; status?: string }] as const;
  };
  expect(await ask('POST', '/v1/sales/autumn/buy', '127.0.0.2', '{"sku":"tee"}')).toMatchObject([200, { code: '0', status: 'reserved' }]);
  expect(await ask('GET', '/v1/orders/autumn-1?wait=1', '127.0.0.2')).toMatchObject([200, { code: '1', status: 'reserved' }]);
  const crowd = await Promise.all(Array.from({ length: 60 }, () => ask('GET', '/v1/sales/autumn', '127.0.0.3')));
  expect(crowd.filter(([status]) => status === 429).length).toBeGreaterThan(0);
  expect((await ask('GET', '/v1/sales/autumn', '127.0.0.2'))[0], 'another address').toBe(200);
});

test.skipIf(WITHOUT_NGINX)('through nginx: the address is the player\'s own, whatever the client sends in X-Forwarded-For', async () => {
  const site = await open({ socketsPerAddressMax: 1 });
  expect(await knock(site, 'ann', '127.0.0.2')).toBe(101);
  expect(await knock(site, 'bob', '127.0.0.3')).toBe(101);
  expect(await knock(site, 'eve', '127.0.0.2', { 'x-forwarded-for': '203.0.113.9' })).toBe(429);
});

test.skipIf(WITHOUT_NGINX)('through nginx: the page comes by https, and plain http only shows the way there', async () => {
  const { http, https } = await open();
  const [page] = await once(request({ host: '127.0.0.1', port: https, path: '/', rejectUnauthorized: false, agent: false }).end(), 'response');
  expect([page.statusCode, await text(page)]).toEqual([200, '<!doctype html><title>a page</title>']);
  const plain = await fetch(`http://127.0.0.1:${http}/v1?a=b`, { redirect: 'manual', headers: { host: 'rain.example.com' } });
  expect([plain.status, new URL(plain.headers.get('location')!).protocol]).toEqual([308, 'https:']);
});
