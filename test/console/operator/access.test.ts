import { request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { API } from '../../../src/console/contract/api.ts';
import { mountOperatorConsole } from '../../../src/console/operatorConsole.ts';
import { REFUSALS } from '../../../src/console/refusals.ts';
import { dump } from '../../support/rain.ts';
import { ask, openTestConsole, PASSWORD, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';

let testConsole: TestConsole;
let opal: Visitor;
let vera: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  await testConsole.wonRain('spring', 2);
  [opal, vera] = [await testConsole.signIn('opal'), await testConsole.signIn('vera')];
});
afterAll(() => testConsole?.stop());

const filled = (path: string): string =>
  path
    .replace(':rainId', 'spring')
    .replace(':campaignId', 'autumn')
    .replace(':letterId', 'spring-0-0-9f86d081884c7d65')
    .replace(':saleId', 'spring')
    .replace(':orderId', 'spring-1')
    .replace(':themeId', 'red')
    .replace(':templateId', 'party')
    .replace('/files/:kind', '/files/logo')
    .replace(':kind', 'user')
    .replace(':who', 'eve')
    .replace(':name', 'ticker')
    .replace(':sessionId', '0123456789abcdef')
    .replace(':approvalId', '0123456789abcdef01');
const every = API.filter(({ access }) => access !== 'anybody').map((endpoint) => ({
  ...endpoint,
  url: filled(endpoint.path),
}));
const changing = every.filter(({ method }) => method !== 'GET');
const CODES = new Set(Object.values(REFUSALS).map(({ code }) => code as string));

/** All data that a visitor could have changed. */
async function everything(): Promise<unknown> {
  const { 'rain:sessions': _, ...held } = (await dump(testConsole.redis, 'rain:*')) as Record<string, unknown>;
  const kept = Object.fromEntries(
    Object.entries(held).filter(([key]) => !key.startsWith('rain:sessions:') && !key.startsWith('rain:attempts:')),
  );
  return {
    kept,
    rains: await testConsole.ledger.countRains(),
    staff: await testConsole.ledger.staff.operators(),
    actions: (await testConsole.ledger.latestActions({ limit: 500 })).filter(({ verb }) => !verb.startsWith('log')),
  };
}

test('every route of the server is in the contract, and every endpoint of the contract is a route', async () => {
  const server = Fastify();
  await server.register(rateLimit, { global: false });
  const routes: string[] = [];
  server.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push(`${one} ${url}`);
  });
  await mountOperatorConsole(server, {
    backend: {
      ...testConsole,
      queues: { ...testConsole.queues, later: testConsole.queues.credit },
      sendReservations: async () => {},
    },
    requestOrigin: { trustedProxies: 0, secureCookies: 'auto' },
    currency: 'CNY',
    onFault: () => {},
  });
  await server.close();
  expect(routes.filter((route) => route.includes('/api/console/')).sort()).toEqual(
    API.map(({ method, path }) => `${method} ${path}`).sort(),
  );
  expect(routes.filter((route) => !/ \/(api\/console|console\/queues\/?$)/.test(route))).toEqual([]);
});

describe('[R12] without a session every request is refused', () => {
  test.each(every.map(({ method, url }) => [method, url]))('%s %s', async (method, url) => {
    for (const headers of [
      {},
      { cookie: 'rain_session=' },
      { cookie: `rain_session=${'x'.repeat(43)}`, 'x-csrf-token': 'x'.repeat(43) },
    ] as Record<string, string>[]) {
      expect(await ask(testConsole.url, method, url, method === 'GET' ? undefined : {}, headers)).toMatchObject({
        status: 401,
        body: { code: 'no_session' },
      });
    }
  });

  test('the former address of the queues leads to their screen, whoever asks, and nowhere else', async () => {
    for (const path of ['console/queues', 'console/queues/'])
      for (const site of ['http://rain.example/', 'http://example/below/a/path/']) {
        const sent = await ask(testConsole.url, 'GET', `/${path}`, undefined, { accept: 'text/html' });
        const led = new URL(sent.headers.get('location')!, site + path).href;
        expect([sent.status, led]).toEqual([301, `${site}console/#/queues`]);
      }
    for (const path of ['/console/queues/api/queues', '/console/queues//evil.example'])
      expect((await ask(testConsole.url, 'GET', path)).status, path).toBe(404);
    expect((await ask(testConsole.url, 'PUT', '/console/queues', {})).status).toBe(404);
  });
});

test('a viewer cannot change anything', async () => {
  const before = await everything();
  for (const { method, url, access } of changing.filter(({ id }) => id !== 'signOut')) {
    const answer = await vera.ask(method, url, {});
    if (access === 'operator')
      expect(answer, `${method} ${url}`).toMatchObject({ status: 403, body: { code: 'not_allowed' } });
    else expect(answer.status, `${method} ${url}`).not.toBe(403);
  }
  expect(await everything()).toEqual(before);
});

test('a request without the CSRF token of its session is refused and changes nothing', async () => {
  const before = await everything();
  for (const token of ['', 'x', vera.csrf]) {
    for (const { method, url } of changing) {
      expect(await opal.ask(method, url, {}, { 'x-csrf-token': token }), `${method} ${url}`).toMatchObject({
        status: 403,
        body: { code: 'bad_csrf' },
      });
    }
  }
  expect(await everything()).toEqual(before);
});

test('a page that asks before the sign-in whether somebody is signed in is answered, not refused', async () => {
  const path = '/api/console/session';
  expect((await ask(testConsole.url, 'GET', `${path}?nobody=204`)).status).toBe(204);
  expect((await ask(testConsole.url, 'GET', path)).status).toBe(401);
  expect((await ask(testConsole.url, 'GET', '/api/console/rains?nobody=204')).status).toBe(401);
  expect(await opal.ask('GET', `${path}?nobody=204`)).toMatchObject({ status: 200, body: { name: 'opal' } });
});

test('a request from a page of another origin or port is refused, and cannot sign in', async () => {
  const before = await everything();
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: testConsole.url.replace(/:\d+$/, ':1') },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ] as Record<string, string>[]) {
    for (const { method, url } of changing) {
      expect(await opal.ask(method, url, {}, headers), `${method} ${url} ${JSON.stringify(headers)}`).toMatchObject({
        status: 403,
        body: { code: 'cross_origin' },
      });
    }
    expect(
      await ask(testConsole.url, 'POST', '/api/console/session', { name: 'opal', password: PASSWORD }, headers),
    ).toMatchObject({ status: 403, body: { code: 'cross_origin' } });
  }
  expect(await everything()).toEqual(before);
  expect(await opal.ask('POST', '/api/console/rains/preview', { plan: {} }, { origin: testConsole.url })).toMatchObject(
    { status: 200 },
  );
});

describe('[R12] an invalid request is refused with a code and changes nothing', () => {
  test.each(changing.filter(({ id }) => id !== 'signOut').map(({ method, url }) => [method, url]))(
    '%s %s',
    async (method, url) => {
      const before = await everything();
      for (const body of [{ surprise: 1 }, [], 'text', 7]) {
        const answer = await opal.ask(method, url, body);
        expect([answer.status, CODES.has((answer.body as { code: string }).code)], JSON.stringify(body)).toEqual([
          400,
          true,
        ]);
        expect(answer.body).toMatchObject({ refusals: expect.any(Array) as unknown });
      }
      expect(await opal.ask(method, `${url}?surprise=1`, {})).toMatchObject({ status: 400 });
      expect(await everything()).toEqual(before);
    },
  );

  test.each(every.filter(({ method }) => method === 'GET').map(({ url }) => [url]))(
    'GET %s with an unknown parameter',
    async (url) => {
      expect(await opal.ask('GET', `${url}?surprise=1`)).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    },
  );

  test.each([
    ['a rain that is none', 'GET', '/api/console/rains/..%2f..%2fetc', 400, 'bad_request'],
    ['a rain of another form', 'GET', '/api/console/rains/a%20b', 400, 'bad_request'],
    ['a rain there is not', 'GET', '/api/console/rains/nowhere', 404, 'no_such_rain'],
    ['its audit', 'GET', '/api/console/rains/nowhere/audit', 404, 'no_such_rain'],
    ['a sale that is none', 'GET', '/api/console/sales/a%20b', 400, 'bad_request'],
    ['a sale there is not', 'GET', '/api/console/sales/nowhere', 404, 'no_such_sale'],
    ['its audit', 'GET', '/api/console/sales/nowhere/audit', 404, 'no_such_sale'],
    ['its orders', 'GET', '/api/console/sales/nowhere/orders', 404, 'no_such_sale'],
    ['their export', 'GET', '/api/console/sales/nowhere/orders.csv', 404, 'no_such_sale'],
    ['its live figures', 'GET', '/api/console/sales/nowhere/live', 404, 'no_such_sale'],
    ['its end', 'POST', '/api/console/sales/nowhere/end', 404, 'no_such_sale'],
    ['its winners', 'GET', '/api/console/rains/nowhere/winners', 404, 'no_such_rain'],
    ['their export', 'GET', '/api/console/rains/nowhere/winners.csv', 404, 'no_such_rain'],
    ['its live figures', 'GET', '/api/console/rains/nowhere/live', 404, 'no_such_rain'],
    ['its pause', 'POST', '/api/console/rains/nowhere/pause', 404, 'no_such_rain'],
    ['a page of nowhere', 'GET', '/api/console/actions?cursor=x', 400, 'bad_request'],
    ['more than is told at once', 'GET', '/api/console/rains?limit=1001', 400, 'bad_request'],
    ['nothing there', 'GET', '/api/console/nothing', 404, 'not_found'],
    ['a file outside of the page', 'GET', '/console/..%2f..%2f..%2fetc%2fpasswd', 404, 'not_found'],
    ['a hidden file', 'GET', '/console/.env', 404, 'not_found'],
  ])('%s', async (_what, method, path, status, code) => {
    expect(await opal.ask(method, path, method === 'GET' ? undefined : {})).toMatchObject({
      status,
      body: { code, reason: expect.any(String) as string },
    });
  });

  test('broken JSON, a form, and a body of a megabyte', async () => {
    const post = async (type: string, body: string) => {
      const question = httpRequest(`${testConsole.url}/api/console/rains`, {
        method: 'POST',
        headers: { cookie: opal.cookie, 'x-csrf-token': opal.csrf, 'content-type': type },
      });
      question.on('error', () => {});
      question.end(body);
      const [answer] = await once(question, 'response');
      return { status: answer.statusCode as number, body: await json(answer) };
    };
    expect(await post('application/json', '{')).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    expect(await post('application/x-www-form-urlencoded', 'title=x')).toMatchObject({
      status: 415,
      body: { code: 'not_json' },
    });
    expect(await post('application/json', JSON.stringify({ title: 'x'.repeat(1_000_000) }))).toMatchObject({
      status: 413,
      body: { code: 'too_big' },
    });
    expect(await post('application/json', '{"__proto__":{"load":false}}')).toMatchObject({ status: 400 });
  });
});

test('[R10] password guessing is slowed down after five attempts, and does not affect open sessions', async () => {
  // The requests of this file use up a minute's for one address: a console of its own counts from nought.
  const { url, close } = await testConsole.another({});
  onTestFinished(close);
  const statuses: number[] = [];
  for (let n = 0; n < 40; n++)
    statuses.push((await ask(url, 'POST', '/api/console/session', { name: 'opal', password: 'guess' })).status);
  expect(statuses.filter((status) => status === 401).length).toBeLessThan(10);
  expect(await ask(url, 'POST', '/api/console/session', { name: 'opal', password: PASSWORD })).toMatchObject({
    status: 429,
    body: { code: 'too_many_attempts' },
  });
  expect(await ask(url, 'GET', '/api/console/session', undefined, { cookie: opal.cookie })).toMatchObject({
    status: 200,
  });
});
