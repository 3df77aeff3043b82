import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { expect, onTestFinished, test } from 'vitest';
import type { Challenge } from '../../../src/protocol/proofOfWork.ts';
import { putBlock } from '../../../src/store/blocks.ts';
import { holdSwitch, releaseSwitch } from '../../../src/store/killSwitches.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { signToken } from '../../../src/platform/auth/token.ts';
import { SECRET } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { buy, enter, stockSale, tee } from '../sales/stage.ts';
import { narrow, retryAfterIn, TICKETED } from '../sockets/upgradeServers.ts';
import { callerOf, type Answer } from './stage.ts';

const { server, redis } = await openRedis();
await stockSale(redis, { saleId: 's', items: [tee(500)], perUserMax: 1 });

const seconds = ({ headers }: Answer) => Number(headers['retry-after']);

test('[R9] without a valid token nothing is answered: 401', async () => {
  const gateway = await narrow(server.url, {}, { trustedProxies: 0 });
  const ann = await callerOf(gateway, 'ann');
  const tokens = [
    await signToken('another-secret-0123456789-0123456789', { sub: 'ann', expiresInSeconds: 60 }),
    await signToken(SECRET, { sub: 'ann', expiresInSeconds: -60 }),
    await signToken(SECRET, { sub: '', expiresInSeconds: 60 }),
    'x',
    'a.b.c',
    'x'.repeat(5_000),
  ];
  for (const authorization of ['', 'Bearer ', 'Basic YTpi', ...tokens.map((token) => `Bearer ${token}`)]) {
    for (const [method, path] of [
      ['GET', '/v1/sales/s'],
      ['GET', '/v1/orders/s-1'],
    ] as const) {
      expect(await ann.ask(method, path, { authorization }), authorization.slice(0, 40)).toMatchObject({
        status: 401,
        body: { code: 401, reason: 'unauthorized' },
      });
    }
  }
  expect((await ann.ask('GET', `/v1/sales/s?token=${tokens[0]}`, { authorization: '' })).status).toBe(401);
  expect((await ann.sale('s')).status).toBe(200);
});

test('requests with one token share one verification', async () => {
  const gateway = await narrow(
    server.url,
    { handshakesPerAddressPerSecondMax: 1, handshakesPerSecondMax: 1 },
    { trustedProxies: 0 },
  );
  const ann = await callerOf(gateway, 'ann');
  const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await ann.sale('s')).status));
  expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
});

test('a token that was verified is no longer taken when it has expired', async () => {
  const caller = await callerOf(await narrow(server.url, {}, { trustedProxies: 0 }), 'ann');
  const authorization = `Bearer ${await signToken(SECRET, { sub: 'bob', expiresInSeconds: 2 })}`;
  expect((await caller.ask('GET', '/v1/sales/s', { authorization })).status).toBe(200);
  await eventually(async () => expect((await caller.ask('GET', '/v1/sales/s', { authorization })).status).toBe(401));
});

test('unknown paths are 404, other methods 405 with Allow, and a request that two could read differently is 400', async () => {
  const gateway = await narrow(server.url, {}, { trustedProxies: 0 });
  const ann = await callerOf(gateway, 'ann');
  for (const path of [
    '/',
    '/v2/sales/s',
    '/v1/',
    '/v1/sales',
    '/v1/sales/',
    '/v1/sales/s/',
    '/v1/sales/s/sell',
    '/v1/sales/s/buy/x',
    '/v1/orders/s-1/cancel',
    '/V1/sales/s',
  ]) {
    expect(await ann.ask('GET', path), path).toMatchObject({
      status: 404,
      body: { code: 404, reason: 'not_found' },
      headers: { connection: 'close' },
    });
  }
  for (const [method, path, allow] of [
    ['GET', '/v1/sales/s/buy', 'POST'],
    ['PUT', '/v1/sales/s/buy', 'POST'],
    ['DELETE', '/v1/orders/s-1', 'GET'],
    ['POST', '/v1/sales/s', 'GET'],
  ] as const) {
    expect(await ann.ask(method, path, { 'content-length': '0' }), method + path).toMatchObject({
      status: 405,
      headers: { allow },
      body: { reason: 'wrong_method' },
    });
  }
  expect((await ann.ask('GET', '/v1/sales/s', { 'content-length': '2' }, '{}')).status).toBe(400);
  const token = `Bearer ${await signToken(SECRET, { sub: 'ann', expiresInSeconds: 60 })}`;
  expect((await ann.ask('GET', '/v1/sales/s', { authorization: [token, token] })).status).toBe(400);
  expect(
    (await ann.ask('GET', '/v1/sales/s', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, 'y']))))
      .status,
  ).toBe(400);
});

test('too many messages of a user, over sockets or not: 429 with a pause, and after it an answer; who does not stop is banned', async () => {
  const gateway = await narrow(server.url, { messagesPerSecondMax: 5, offencesMax: 20 }, { trustedProxies: 0 });
  const [ann, bob] = [await callerOf(gateway, 'ann'), await callerOf(gateway, 'bob')];
  const flood = async (caller: typeof ann, count: number) =>
    await Promise.all(Array.from({ length: count }, () => caller.buy('s')));
  const refused = (await flood(ann, 12)).filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({
    body: { type: 'order', saleId: 's', code: '-5', reason: 'too_fast', retryInMs: expect.any(Number) as number },
  });
  expect(seconds(refused[0]!)).toBe(Math.ceil((refused[0]!.body['retryInMs'] as number) / 1_000));
  await eventually(async () => expect((await ann.buy('s')).status).toBe(200));
  await flood(bob, 60);
  expect(await bob.buy('s')).toMatchObject({ status: 429, body: { code: 429, reason: 'too_many' } });
  expect(seconds(await bob.buy('s'))).toBeGreaterThan(30);
  expect(gateway.counters.refused.offences).toBeGreaterThan(0);
});

test('a user who is banned over HTTP has no socket either: all are closed with 4430', async () => {
  const gateway = await narrow(server.url, { messagesPerSecondMax: 5, offencesMax: 20 }, { trustedProxies: 0 });
  const [phone, laptop, neighbour] = [
    await enter(gateway.url, 'eve'),
    await enter(gateway.url, 'eve'),
    await enter(gateway.url, 'neighbour'),
  ];
  const eve = await callerOf(gateway, 'eve');
  await Promise.all(Array.from({ length: 60 }, () => eve.sale('s')));
  expect(await Promise.all([phone.closed, laptop.closed])).toEqual([4430, 4430]);
  neighbour.say({ type: 'ping', t: 1 });
  expect((await neighbour.next('pong')).t).toBe(1);
});

test('banned users shut out the others who buy over HTTP from their address only when they are more than these', async () => {
  const gateway = await narrow(
    server.url,
    { messagesPerSecondMax: 20, offencesMax: 5, bansPerAddressMin: 3 },
    { trustedProxies: 0 },
  );
  const buyers = await Promise.all(Array.from({ length: 4 }, (_, i) => callerOf(gateway, `buyer-${i}`)));
  const flood = async (n: number) => {
    const script = await callerOf(gateway, `flood-${n}`);
    // So many that also a machine on which they take seconds sees more than the 20 of each second.
    await Promise.all(Array.from({ length: 160 }, () => script.sale('s')));
  };
  const statuses = async () => await Promise.all(buyers.map(async (buyer) => (await buyer.sale('s')).status));
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  for (let n = 0; n < 4; n++) await flood(n);
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  // One more than the buyers: most of who is there misbehaves.
  await flood(4);
  expect(await buyers[0]!.sale('s')).toMatchObject({ status: 429, body: { code: 429, reason: 'too_many' } });
});

test('a token that was not seen before counts as a handshake', async () => {
  const gateway = await narrow(server.url, { handshakesPerAddressPerSecondMax: 2 }, { trustedProxies: 0 });
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => await (await callerOf(gateway, `u${i}`)).sale('s')),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(5);
  expect(refused[0]).toMatchObject({
    body: { code: 429, reason: 'too_many' },
    headers: { 'retry-after': expect.any(String) as string },
  });
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(1);
});

test('[R10] only the latest callers are remembered: the others are verified again', async () => {
  const gateway = await narrow(
    server.url,
    { httpCallersMax: 1, handshakesPerAddressPerSecondMax: 3 },
    { trustedProxies: 0 },
  );
  const [ann, bob] = [await callerOf(gateway, 'ann'), await callerOf(gateway, 'bob')];
  const statuses = [];
  for (let i = 0; i < 20; i++) statuses.push((await (i % 2 === 0 ? ann : bob).sale('s')).status);
  expect(statuses.slice(0, 2)).toEqual([200, 200]);
  expect(statuses).toContain(429);
});

test('a blocked user and a blocked address are refused at once, known or not', async () => {
  const gateway = await narrow(server.url, {});
  const [ann, office] = [
    await callerOf(gateway, 'blocked-ann', { headers: { 'x-forwarded-for': '203.0.113.1' } }),
    await callerOf(gateway, 'office-1', { headers: { 'x-forwarded-for': '198.51.100.7' } }),
  ];
  expect([(await ann.sale('s')).status, (await office.sale('s')).status]).toEqual([200, 200]);
  for (const [kind, who] of [
    ['user', 'blocked-ann'],
    ['address', '198.51.100.0/24'],
  ] as const)
    await putBlock(redis, { kind, who, reason: 'test', actor: 'test', since: await redisNow(redis) });
  await eventually(async () =>
    expect([(await ann.buy('s')).status, (await office.buy('s')).status]).toEqual([403, 403]),
  );
  expect((await ann.buy('s')).body).toMatchObject({ code: 403, reason: 'blocked' });
});

test('the switches hold for buyers without a socket', async () => {
  const gateway = await narrow(server.url, {}, { trustedProxies: 0 });
  const [ann, late] = [await callerOf(gateway, 'ann'), await callerOf(gateway, 'late')];
  expect((await ann.sale('s')).status).toBe(200);
  for (const name of ['grabs', 'joins', 'sockets'] as const) {
    await holdSwitch(redis, { name, position: 'off', reason: 'test', actor: 'test', since: await redisNow(redis) });
    onTestFinished(() => releaseSwitch(redis, name));
  }
  await eventually(() => gateway.load().switches.filter((one) => one.off).length === 3);
  const busy = await ann.buy('s');
  expect(busy).toMatchObject({ status: 503, body: { type: 'order', code: '-7', reason: 'busy' } });
  expect(seconds(busy)).toBe(Math.ceil((busy.body['retryInMs'] as number) / 1_000));
  expect(await ann.sale('s')).toMatchObject({ status: 503, body: { code: '-7' } });
  expect(await late.buy('s'), 'a caller who is not known').toMatchObject({
    status: 503,
    headers: { 'retry-after': retryAfterIn(2, 4) },
    body: { code: 503, reason: 'unavailable' },
  });
});

test('[R10] as many reads as may wait for Redis wait; the others are told when to ask again', async () => {
  const gateway = await narrow(server.url, { httpReadsPendingMax: 2 }, { trustedProxies: 0 });
  const ann = await callerOf(gateway, 'ann');
  await ann.buy('s');
  // Redis answers late, so that they wait.
  await redis.client('PAUSE', 300);
  const answers = await Promise.all(Array.from({ length: 40 }, () => ann.order('s-1')));
  const busy = answers.filter(({ status }) => status === 503);
  expect(busy.length).toBe(gateway.counters.refused.http_reads);
  expect(busy.length).toBeGreaterThan(0);
  expect(busy[0]).toMatchObject({ body: { code: '-7', retryInMs: expect.any(Number) as number } });
  await eventually(async () => expect((await ann.order('s-1')).status).not.toBe(503));
});

test('what Redis cannot answer is 503, and no answer is made up', async () => {
  const gateway = await narrow(server.url, {}, { trustedProxies: 0 });
  const ann = await callerOf(gateway, 'ann');
  await stockSale(redis, { saleId: 'spoiled', items: [tee(5)], perUserMax: 1 });
  await redis.set(saleKeys('spoiled').buyers, 'of another type');
  for (const answer of [
    await ann.order('spoiled-1'),
    await ann.order('spoiled-1', '?wait=25'),
    await ann.buy('spoiled'),
  ]) {
    expect(answer).toMatchObject({
      status: 503,
      body: { saleId: 'spoiled', code: '-7', retryInMs: expect.any(Number) as number },
    });
  }
  expect([gateway.counters.redisFaults, gateway.ordersWaiting()]).toEqual([3, 0]);
});

test("a ticket is required where sockets need one, and is the user's own", async () => {
  const gateway = await openGateway(server.url, { challenges: TICKETED });
  onTestFinished(() => gateway.close());
  const [ann, bob] = [await callerOf(gateway, 'ticketed-ann'), await callerOf(gateway, 'ticketed-bob')];
  expect(await ann.buy('s')).toMatchObject({ status: 200, body: { code: '-9', reason: 'no_ticket' } });
  const { ticket, expiresAt } = (await ann.sale('s')).body;
  expect(expiresAt).toBeGreaterThan(Date.now());
  expect((await bob.buy('s', undefined, { ticket })).body['code'], "another user's").toBe('-9');
  expect((await ann.buy('s', undefined, { ticket })).body['code']).toBe('0');
  expect((await ann.sale('s')).body['ticket'], 'the same again').toBe(ticket);
  const socket = await enter(gateway.url, 'ticketed-ann');
  expect((await buy(socket, 's', { ticket })).code, 'over a socket too').toBe('1');
});

test("a ticket for a solved challenge: a wrong solution gives none, and so does another user's", async () => {
  const gateway = await openGateway(server.url, { challenges: { ...TICKETED, proofOfWork: 'always' } });
  onTestFinished(() => gateway.close());
  const [ann, bob] = [await callerOf(gateway, 'solving-ann'), await callerOf(gateway, 'solving-bob')];
  const { challenge } = (await ann.sale('s')).body as { challenge: Challenge };
  const { counter, derivedKey } = (await solveChallenge({ challenge, deriveKey }))!;
  const solve = (caller: typeof ann, body: unknown, sale = 's') => {
    const text = JSON.stringify(body);
    return caller.ask(
      'POST',
      `/v1/sales/${sale}/ticket`,
      { 'content-type': 'application/json', 'content-length': String(text.length) },
      text,
    );
  };
  const NOT_SOLVED = { status: 400, body: { type: 'error', code: 'not_solved' } };
  expect(await solve(bob, { challenge, solution: { counter, derivedKey } })).toMatchObject(NOT_SOLVED);
  expect(await solve(ann, { challenge, solution: { counter, derivedKey: '00'.repeat(32) } })).toMatchObject(NOT_SOLVED);
  expect(await solve(ann, { challenge })).toMatchObject({
    status: 400,
    body: { code: 'bad_field', reason: expect.stringMatching(/^solution: /) as string },
  });
  expect(await solve(ann, { challenge, solution: { counter, derivedKey } }, 'nowhere')).toMatchObject({
    status: 404,
    body: { code: '-8' },
  });
  const solved = await solve(ann, { challenge, solution: { counter, derivedKey } });
  expect(solved).toMatchObject({
    status: 200,
    body: { type: 'ticket', saleId: 's', ticket: expect.any(String) as string },
  });
  expect((await ann.buy('s', undefined, { ticket: solved.body['ticket'] })).body['code']).toBe('0');
});

test('pages of listed origins may ask, others get no permission', async () => {
  const gateway = await narrow(server.url, {}, { trustedProxies: 0, allowedOrigins: ['https://shop.example'] });
  const ann = await callerOf(gateway, 'ann');
  const preflight = (origin: string) =>
    ann.ask('OPTIONS', '/v1/sales/s/buy', { origin, 'access-control-request-method': 'POST', authorization: '' });
  expect(await preflight('https://shop.example')).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
    },
  });
  expect((await ann.ask('GET', '/v1/sales/s', { origin: 'https://shop.example' })).headers).toMatchObject({
    'access-control-allow-origin': 'https://shop.example',
    vary: 'Origin',
  });
  for (const answer of [
    await preflight('https://evil.example'),
    await ann.ask('GET', '/v1/sales/s', { origin: 'https://evil.example' }),
  ]) {
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['access-control-allow-headers']).toBeUndefined();
  }
});
