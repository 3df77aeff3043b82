import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { LIMITS } from '../../src/gateway/limits.ts';
import { registerGatewayMetrics } from '../../src/gateway/telemetry/metrics.ts';
import { REFUSED_BY, type LimitName } from '../../src/gateway/telemetry/counters.ts';
import { putBlock } from '../../src/store/blocks.ts';
import { openRegistry } from '../../src/platform/telemetry/metrics.ts';
import { eventually } from '../support/eventually.ts';
import { handshake, through } from '../support/handshake.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { enter, narrow, retryAfterIn, refusedHere, SHOWN_IN } from './sockets/upgradeServers.ts';

const { server, redis } = await openRedis();
await stockRain(redis, { rainId: 'r1', amounts: ['1.00', '2.00'] });

test('sockets in total: 503 with a retry delay; a freed place is given to the next', async () => {
  const gateway = await narrow(server.url, { socketsMax: 2 });
  const [ann] = [await enter(gateway, 'ann'), await enter(gateway, 'bob')];
  expect(await handshake(gateway.url, 'eve')).toMatchObject({ status: 503, retryAfter: retryAfterIn(2, 4) });
  expect(gateway.counters.refused.sockets).toBe(1);
  await ann.leave();
  await eventually(async () => expect((await handshake(gateway.url, 'eve')).status).toBe('open'));
});

test('sockets per user: 403, and other users are admitted', async () => {
  const gateway = await narrow(server.url, { socketsPerUserMax: 1 });
  await enter(gateway, 'ann');
  expect((await handshake(gateway.url, 'ann')).status).toBe(403);
  expect((await handshake(gateway.url, 'bob')).status).toBe('open');
  expect(gateway.counters.refused.sockets_per_user).toBe(1);
});

test('sockets per address: 429, and other addresses are admitted; one IPv6 site is one address', async () => {
  const gateway = await narrow(server.url, { socketsPerAddressMax: 2 });
  const phones = [await enter(gateway, 'a', '2001:db8:1:2:3::4'), await enter(gateway, 'b', '2001:db8:1:2:ffff::5')];
  expect(await handshake(gateway.url, 'c', through('2001:db8:1:2::6'))).toMatchObject({
    status: 429,
    retryAfter: retryAfterIn(2, 4),
    body: { reason: 'too_many' },
  });
  expect((await handshake(gateway.url, 'c', through('2001:db8:1:3::6'))).status).toBe('open');
  expect(gateway.counters.refused.sockets_per_address).toBe(1);
  await phones[0]!.leave();
  await eventually(async () =>
    expect((await handshake(gateway.url, 'c', through('2001:db8:1:2::6'))).status).toBe('open'),
  );
});

test('sockets per address: a client cannot change its address with its own X-Forwarded-For', async () => {
  const gateway = await narrow(server.url, { socketsPerAddressMax: 1 });
  await enter(gateway, 'ann');
  expect((await handshake(gateway.url, 'bob', through('8.8.8.8, 203.0.113.1'))).status).toBe(429);
  const direct = await narrow(server.url, { socketsPerAddressMax: 1 }, { trustedProxies: 0 });
  await enter(direct, 'ann');
  expect((await handshake(direct.url, 'bob', through('203.0.113.77'))).status).toBe(429);
});

/**
 * How many messages pass when far too many are sent: the bucket's size at once, and what has been added since `began`.
 */
const throughMax = (perSecond: number, began: number) =>
  perSecond + Math.ceil((perSecond * (performance.now() - began)) / 1_000);

test('handshakes per second: 503, and soon afterwards all is normal', async () => {
  const gateway = await narrow(server.url, { handshakesPerSecondMax: 3 });
  const began = performance.now();
  const knocks = await Promise.all(
    Array.from({ length: 30 }, (_, i) => handshake(gateway.url, `u${i}`, through(`203.0.113.${i}`))),
  );
  const taken = knocks.filter(({ status }) => status === 'open').length;
  expect(taken).toBeLessThanOrEqual(throughMax(3, began));
  const refused = knocks.filter(({ status }) => status === 503);
  expect(refused).toHaveLength(30 - taken);
  expect(taken).toBeLessThan(30);
  // Randomised per client, so that they do not retry together.
  expect(new Set(refused.map(({ body }) => body.retryInMs)).size).toBeGreaterThan(refused.length / 2);
  expect(gateway.counters.refused.handshakes).toBe(refused.length);
  await eventually(async () => expect((await handshake(gateway.url, 'late')).status).toBe('open'));
});

test('handshakes per address: 429, which uses no handshakes of other addresses', async () => {
  const gateway = await narrow(server.url, { handshakesPerAddressPerSecondMax: 2, handshakesPerSecondMax: 8 });
  const began = performance.now();
  const knocks = await Promise.all(
    Array.from({ length: 30 }, () => handshake(gateway.url, 'flood', through('198.51.100.1'))),
  );
  const refused = knocks.filter(({ status }) => status === 429).length;
  expect(refused).toBeGreaterThanOrEqual(30 - throughMax(2, began));
  expect(refused).toBeGreaterThan(0);
  expect((await handshake(gateway.url, 'ann', through('203.0.113.5'))).status).toBe('open');
  expect(gateway.counters.refused).toMatchObject({ handshakes: 0, handshakes_per_address: refused });
});

test('handshakes are counted before a token is verified', async () => {
  const gateway = await narrow(server.url, { handshakesPerAddressPerSecondMax: 2 });
  const began = performance.now();
  const forged = await Promise.all(
    Array.from({ length: 10 }, () => handshake(gateway.url, 'x', { authorization: 'Bearer a.b.c' })),
  );
  const judged = forged.filter(({ status }) => status === 401).length;
  expect(judged).toBeLessThanOrEqual(throughMax(2, began));
  expect(forged.filter(({ status }) => status === 429)).toHaveLength(10 - judged);
});

test('joins: a socket watches as many rains as allowed and no more', async () => {
  const gateway = await narrow(server.url, { joinsPerSocketMax: 1 });
  for (const rainId of ['j1', 'j2']) await stockRain(redis, { rainId, amounts: ['1.00'] });
  const ann = await enter(gateway, 'ann');
  ann.say({ type: 'join', rainId: 'j1' });
  await ann.next('rain');
  ann.say({ type: 'join', rainId: 'j2' });
  expect(await ann.next('error')).toMatchObject({ code: 'not_allowed' });
  expect(gateway.counters.refused.joins).toBe(1);
});

test('pending grabs: while Redis stalls, one too many is answered "busy" at once', async () => {
  const gateway = await narrow(server.url, { grabsPendingMax: 3 });
  const clients = await Promise.all(Array.from({ length: 5 }, (_, i) => enter(gateway, `waiting-${i}`)));
  process.kill(server.pid, 'SIGSTOP');
  try {
    for (const client of clients) client.say({ type: 'grab', rainId: 'r1', ref: 'x' });
    const results = await Promise.race([
      Promise.all(clients.slice(3).map((client) => client.next('result'))),
      new Promise((resolve) => setTimeout(resolve, 1_000, 'late')),
    ]);
    expect(results).toMatchObject([{ code: '-7' }, { code: '-7' }]);
    expect([gateway.grabsPending(), gateway.counters.refused.grabs_pending]).toEqual([3, 2]);
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
  for (const client of clients.slice(0, 3))
    expect(['0', '1', '-1', '-7']).toContain((await client.next('result')).code);
  expect(gateway.grabsPending()).toBe(0);
});

test('message size, fragments of a message, and invalid messages', async () => {
  const gateway = await narrow(server.url, { errorsPerSocketMax: 3 });
  const big = await enter(gateway, 'big');
  big.say('x'.repeat(5_000));
  expect(await big.closed).toBe(1009);
  const crumbs = await enter(gateway, 'crumbs');
  for (let i = 0; i < 200; i++) crumbs.socket.send('', { fin: false });
  expect(await crumbs.closed).toBe(1008);
  const babbler = await enter(gateway, 'babbler');
  for (let i = 0; i < 5; i++) babbler.say('nonsense');
  expect(await babbler.closed).toBe(4429);
  await eventually(() => gateway.sockets() === 0);
  expect(gateway.counters.refused).toMatchObject({ message_bytes: 1, message_pieces: 1, errors: 1 });
  expect(gateway.counters.closes).toMatchObject({ 1009: 1, 4429: 1 });
});

test('a block counts in the metric of its refusals', async () => {
  const gateway = await narrow(server.url, {});
  await putBlock(redis, { kind: 'user', who: 'mallory', reason: 'r', actor: 'test', since: Date.now() });
  await eventually(async () => expect((await handshake(gateway.url, 'mallory')).status).toBe(403));
  expect(gateway.counters.refused.blocks).toBe(1);
});

test('connections of one address without a request do not use up all places', async () => {
  const gateway = await narrow(server.url, { socketsPerAddressMax: 1, handshakeMs: 60_000 }, { trustedProxies: 0 });
  const idle = await Promise.all(
    Array.from({ length: 110 }, async () => {
      const socket = connectTcp(gateway.port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    }),
  );
  onTestFinished(() => {
    for (const socket of idle) socket.destroy();
  });
  for (const socket of idle) socket.resume();
  await eventually(() => idle.filter((socket) => socket.closed).length === 9);
  expect(gateway.counters.refused.connections_per_address).toBe(9);
  const elsewhere = connectTcp({ port: gateway.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  onTestFinished(() => {
    elsewhere.destroy();
  });
  elsewhere.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(String((await once(elsewhere, 'data'))[0])).toMatch(/^HTTP\/1.1 200/);
});

test('connections that never become sockets: those beyond the limit are dropped and counted', async () => {
  const gateway = await narrow(server.url, { socketsMax: 1, handshakeMs: 60_000 });
  const idle: Socket[] = [];
  onTestFinished(() => {
    for (const socket of idle) socket.destroy();
  });
  // These remain for connections that are still sending their request.
  for (let i = 0; i < 1_001 + 5; i++) {
    const socket = connectTcp(gateway.port, '127.0.0.1');
    idle.push(socket.on('error', () => {}).resume());
    if (i % 50 === 0) await once(socket, 'connect');
  }
  await eventually(() => gateway.counters.refused.connections === 5);
  await eventually(() => idle.filter((socket) => socket.closed).length === 5);
});

/** The limits that a crowd can reach: name, default, metric label, and the test in which each refuses somebody. */
const MET_BY_A_CROWD: readonly [keyof typeof LIMITS, number, LimitName, keyof typeof SHOWN_IN][] = [
  ['grabsPendingMax', 50_000, 'grabs_pending', 'limits.test.ts'],
  ['sendBufferBytesMax', 262_144, 'send_buffer', 'broadcast/slow-reader.test.ts'],
  ['socketsMax', 18_000, 'sockets', 'limits.test.ts'],
  ['socketsPerUserMax', 64, 'sockets_per_user', 'limits.test.ts'],
  ['socketsPerAddressMax', 9_000, 'sockets_per_address', 'limits.test.ts'],
  ['handshakesPerSecondMax', 2_000, 'handshakes', 'limits.test.ts'],
  ['handshakesPerAddressPerSecondMax', 1_500, 'handshakes_per_address', 'limits.test.ts'],
  ['messagesPerSecondMax', 100, 'messages_per_user', 'ratelimit/rateLimiter.test.ts'],
  ['messagesPerAddressPerSecondMax', 100_000, 'messages_per_address', 'ratelimit/rateLimiter.test.ts'],
];

test('each limit that a crowd can reach has a name, a default, a metric and a test', async () => {
  const gateway = await narrow(server.url, {});
  const registry = openRegistry();
  registerGatewayMetrics(registry, gateway);
  const metrics = await registry.metrics();
  for (const [name, byDefault, limit, shownIn] of MET_BY_A_CROWD) {
    expect(LIMITS[name], name).toBe(byDefault);
    expect(metrics).toContain(`rain_gateway_refused_total{limit="${limit}"} 0\n`);
    expect(SHOWN_IN[shownIn]).toContain(limit);
    expect(readFileSync(new URL(shownIn, import.meta.url), 'utf8')).toMatch(
      new RegExp(`\\b${name}: \\d|\\bLIMITS\\.${name}\\b`),
    );
  }
});

test('every limit that is counted has refused somebody in a test', () => {
  expect(Object.values(SHOWN_IN).flat().sort()).toEqual([...REFUSED_BY].sort());
  expect([...refusedHere()].sort()).toEqual([...SHOWN_IN['limits.test.ts']].sort());
});
