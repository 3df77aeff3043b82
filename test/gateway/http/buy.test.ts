import { connect } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { follow } from '../../../src/store/sales.ts';
import { tokenFor } from '../../support/client.ts';
import { sendThenRead } from '../../support/sendThenRead.ts';
import { dump, openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { buy, enter, stockSale, tee } from '../sales/stage.ts';
import { callerOf } from './stage.ts';

const { server, redis } = await openRedis();
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());

test('[R2][R6] a purchase is reserved, and the same key gets the first answer again with its present status', async () => {
  await stockSale(redis, { saleId: 'first', items: [tee(5)], perUserMax: 3 });
  const ann = await callerOf(gateway, 'ann');
  const { status, headers, body: first } = await ann.buy('first', 'a', { quantity: 2 });
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'application/json', 'no-store']);
  expect(first).toEqual({
    type: 'order',
    saleId: 'first',
    ref: 'a',
    code: '0',
    reason: 'reserved',
    reservationId: 'first-1',
    sku: 'tee',
    quantity: 2,
    price: '19.90',
    status: 'reserved',
    payBy: first['payBy'],
    place: 1,
  });
  expect((await ann.buy('first', 'a', { quantity: 2 })).body).toEqual({
    ...first,
    code: '1',
    reason: 'already_reserved',
  });
  await follow(redis, 'first', [{ userId: 'ann', ordinal: 1, status: 'paid', toStock: true }]);
  const { place: _, ...paid } = first;
  expect((await ann.buy('first', 'a', { quantity: 2 })).body).toEqual({
    ...paid,
    code: '1',
    reason: 'already_reserved',
    status: 'paid',
  });
  expect(await ann.buy('first', 'b', { quantity: 2 })).toMatchObject({
    status: 200,
    body: { code: '-13', reason: 'limit_reached', ref: 'b' },
  });
});

test('[R9] over a socket and over HTTP a user has the same purchases, and another user has none of them', async () => {
  await stockSale(redis, { saleId: 'both', items: [tee(5)], perUserMax: 4 });
  const [socket, ann, bob] = [
    await enter(gateway.url, 'ann'),
    await callerOf(gateway, 'ann'),
    await callerOf(gateway, 'bob'),
  ];
  const said = await buy(socket, 'both', { ref: 'a', quantity: 2 });
  expect((await ann.buy('both', 'a', { quantity: 2 })).body).toEqual({
    ...said,
    code: '1',
    reason: 'already_reserved',
  });
  const { body: asked } = await ann.buy('both', 'b');
  expect(asked).toMatchObject({ code: '0', reservationId: 'both-2' });
  expect(await buy(socket, 'both', { ref: 'b' })).toEqual({ ...asked, code: '1', reason: 'already_reserved' });
  expect((await ann.order('both-1')).body).toEqual({ ...said, code: '1', reason: 'already_reserved' });
  const refused = await bob.order('both-1');
  expect(refused).toMatchObject({
    status: 404,
    body: { type: 'error', code: 'bad_field', reason: 'reservationId: expected the id of a reservation of yours' },
  });
  expect([(await bob.order('both-99')).body, (await bob.order('nowhere-1')).body]).toEqual([
    refused.body,
    refused.body,
  ]);
  expect((await bob.buy('both', 'a')).body, 'the key is his own').toMatchObject({ code: '0', reservationId: 'both-3' });
});

test('[R2][R12] one key with another item or quantity is 422 with a code of its own, over a socket too, and changes nothing', async () => {
  await stockSale(redis, { saleId: 'reused', items: [tee(5), tee(5, { sku: 'mug' })], perUserMax: 9 });
  const [socket, ann] = [await enter(gateway.url, 'ann'), await callerOf(gateway, 'ann')];
  const first = await ann.buy('reused', 'a', { quantity: 2 });
  const before = await dump(redis);
  const refused = { type: 'order', saleId: 'reused', ref: 'a', code: '-16', reason: 'ref_reused' };
  for (const other of [{ quantity: 1 }, { quantity: 3 }, { sku: 'mug', quantity: 2 }, {}]) {
    expect(await ann.buy('reused', 'a', other), JSON.stringify(other)).toMatchObject({ status: 422, body: refused });
    expect(await buy(socket, 'reused', { ref: 'a', ...other })).toEqual(refused);
  }
  expect(await dump(redis)).toEqual(before);
  expect((await ann.buy('reused', 'a', { quantity: 2 })).body).toEqual({
    ...first.body,
    code: '1',
    reason: 'already_reserved',
  });
  // In one turn: one of them is decided, and the others hear that it is another one.
  const torn = await Promise.all([1, 2, 1, 2].map((quantity) => ann.buy('reused', 'b', { quantity })));
  const [bought] = torn.flatMap(({ body }) => (body['code'] === '0' ? [body['quantity']] : []));
  expect(torn.map(({ status }) => status)).toEqual([1, 2, 1, 2].map((quantity) => (quantity === bought ? 200 : 422)));
  expect(await redis.llen(saleKeys('reused').reservations)).toBe(2);
});

test('the sale is shown as a visit shows it; an unknown one is 404, and a purchase in it is answered', async () => {
  await stockSale(redis, { saleId: 'shown', title: 'New year', items: [tee(4, { name: 'T-shirt' })], perUserMax: 2 });
  const ann = await callerOf(gateway, 'ann');
  const shown = await ann.sale('shown');
  expect(shown.status).toBe(200);
  const socket = await enter(gateway.url, 'ann');
  socket.say({ type: 'visit', saleId: 'shown' });
  const { serverTime, ...visited } = await socket.next('sale');
  expect(shown.body).toEqual({ ...visited, serverTime: expect.any(Number) as number });
  expect(Math.abs(serverTime - (shown.body['serverTime'] as number))).toBeLessThan(5_000);
  expect(await ann.sale('nowhere')).toMatchObject({
    status: 404,
    body: { type: 'order', saleId: 'nowhere', code: '-8' },
  });
  expect(await ann.buy('nowhere', 'a')).toMatchObject({ status: 200, body: { code: '-8', ref: 'a' } });
});

test('where a buyer may hold one unit, no key is needed; many at once get one reservation', async () => {
  await stockSale(redis, { saleId: 'drop', items: [tee(2, { price: '0.00' })], perUserMax: 1 });
  const ann = await callerOf(gateway, 'ann');
  const answers = await Promise.all(Array.from({ length: 20 }, () => ann.buy('drop')));
  expect(answers.map(({ body }) => body['code']).sort()).toEqual(['0', ...Array.from({ length: 19 }, () => '1')]);
  expect(new Set(answers.map(({ body }) => body['reservationId']))).toEqual(new Set(['drop-1']));
});

const JSON_TYPE = { 'content-type': 'application/json' };
const GOOD = '{"sku":"tee"}';

test('[R11][R12] what is wrong is refused by the name of the field or header, and nothing changes', async () => {
  await stockSale(redis, { saleId: 'strict', items: [tee(50, { perOrderMax: 3 })], perUserMax: 5 });
  const ann = await callerOf(gateway, 'ann');
  const before = await dump(redis);
  const post = (headers: Record<string, string | string[]>, body: string, path = '/v1/sales/strict/buy') =>
    ann.ask('POST', path, { 'content-length': String(Buffer.byteLength(body)), ...headers }, body);
  for (const quantity of [0, -10, 1.5, 1e16, '2', null, [1], true]) {
    expect(await ann.buy('strict', 'a', { quantity }), String(quantity)).toMatchObject({
      status: 400,
      body: { type: 'error', code: 'bad_field', reason: 'quantity: expected a whole number from 1 to 1000' },
    });
  }
  const fields: [string, string][] = [
    ['{"sku":"te e"}', 'sku: expected a SKU'],
    ['{"sku":5}', 'sku: expected a SKU'],
    ['{}', 'sku: expected a SKU'],
    ['{"sku":"tee","ticket":7}', 'ticket: '],
    ['{"sku":"tee","userId":"bob"}', 'body: Unrecognized key: "userId"'],
    ['{"sku":"tee","ref":"b"}', 'body: Unrecognized key: "ref"'],
    ['{"sku":"tee","price":"0.01"}', 'body: Unrecognized key: "price"'],
  ];
  for (const [body, reason] of fields)
    expect(await post({ ...JSON_TYPE, 'idempotency-key': 'a' }, body), body).toMatchObject({
      status: 400,
      body: { code: 'bad_field', reason: expect.stringContaining(reason) as string },
    });
  for (const body of ['', '{', 'null', '[]', '"tee"', 'sku=tee', '\0', `${GOOD}x`])
    expect(await post({ ...JSON_TYPE, 'idempotency-key': 'a' }, body), body).toMatchObject({
      status: 400,
      body: { code: 'not_json', reason: 'body: expected one JSON object' },
    });
  const KEY = /^Idempotency-Key: expected 1 to 64 letters, digits, _, \. or -, once/;
  for (const key of ['', 'a b', '"a"', 'a,b', 'x'.repeat(65), ['a', 'b'], ['a', 'a']]) {
    expect(await post({ ...JSON_TYPE, 'idempotency-key': key }, GOOD), String(key)).toMatchObject({
      status: 400,
      body: { code: 'bad_field', reason: expect.stringMatching(KEY) as string },
    });
  }
  expect(await ann.buy('strict'), 'no key').toMatchObject({
    status: 400,
    body: {
      code: 'bad_field',
      reason: expect.stringMatching(/^Idempotency-Key: expected a text of your own/) as string,
    },
  });
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/jsonx',
  ]) {
    expect(await post({ 'content-type': type, 'idempotency-key': 'a' }, GOOD), type).toMatchObject({
      status: 415,
      body: {
        reason: 'not_json',
        meaning: expect.stringMatching(/^Content-Type: expected application\/json/) as string,
      },
    });
  }
  expect(await post({ 'idempotency-key': 'a' }, GOOD)).toMatchObject({ status: 415 });
  for (const id of ['x:y', 'a b', '%73trict', 'x'.repeat(65)])
    expect(
      await post({ ...JSON_TYPE, 'idempotency-key': 'a' }, GOOD, `/v1/sales/${encodeURI(id)}/buy`),
      id,
    ).toMatchObject({ status: 400, body: { reason: expect.stringMatching(/^saleId: expected/) as string } });
  expect((await ann.buy('strict', 'a', { quantity: 4 })).body).toMatchObject({ code: '-14', reason: 'no_such_item' });
  expect((await ann.buy('strict', 'a', { sku: 'mug' })).body).toMatchObject({ code: '-14' });
  expect(await dump(redis)).toEqual(before);
  expect(
    (await post({ 'content-type': 'Application/JSON; charset=UTF-8', 'idempotency-key': 'a' }, ` ${GOOD}\n`)).body,
  ).toMatchObject({ code: '0' });
});

test('[R10] a body that is too large, in chunks or not there is refused before it is read', async () => {
  await stockSale(redis, { saleId: 'large', items: [tee(5)], perUserMax: 1 });
  const ann = await callerOf(gateway, 'ann');
  const ask = (headers: Record<string, string>, body?: string) =>
    ann.ask('POST', '/v1/sales/large/buy', { ...JSON_TYPE, ...headers }, body);
  const padded = `{"sku":"tee"${' '.repeat(4_096 - GOOD.length)}}`;
  expect(await ask({ 'content-length': '4097' }, `${padded} `)).toMatchObject({
    status: 413,
    body: { reason: 'too_big', meaning: 'Content-Length: expected at most 4096 bytes.' },
    headers: { connection: 'close' },
  });
  expect(await ask({ 'content-length': '9007199254740993' }, 'x')).toMatchObject({ status: 413 });
  expect(await ask({ 'transfer-encoding': 'chunked' }, GOOD)).toMatchObject({
    status: 411,
    body: { reason: 'no_length' },
  });
  expect(await redis.llen(saleKeys('large').reservations)).toBe(0);
  expect(await sendThenRead(gateway.url.replace('ws:', 'http:'), '/v1/sales/large/buy', 5_000_000)).toMatch(
    /^HTTP\/1\.1 413 [^]*"reason":"too_big"/,
  );
  expect(gateway.counters.refused.message_bytes).toBe(3);
  expect(await ask({ 'content-length': '4096' }, padded)).toMatchObject({ status: 200, body: { code: '0' } });
});

test('a body in pieces is read, and one that never ends is cut', async () => {
  const impatient = await openGateway(server.url, { limits: { handshakeMs: 1_000 } });
  onTestFinished(() => impatient.close());
  await stockSale(redis, { saleId: 'pieces', items: [tee(5)], perUserMax: 1 });
  const head = `POST /v1/sales/pieces/buy HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await tokenFor('ann')}\r\nContent-Type: application/json\r\nContent-Length: ${GOOD.length}\r\n\r\n`;
  const dribble = (body: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(impatient.port, '127.0.0.1');
      onTestFinished(() => {
        socket.destroy();
      });
      let heard = '';
      socket
        .setNoDelay(true)
        .on('error', () => {})
        .on('data', (data) => {
          heard += String(data);
        })
        .on('close', () => resolve(heard));
      let at = 0;
      const timer = setInterval(
        () =>
          at < (head + body).length
            ? socket.write((head + body).slice(at, (at += 40)))
            : body === GOOD && heard.includes('}') && socket.destroy(),
        10,
      );
      onTestFinished(() => clearInterval(timer));
    });
  expect(await dribble(GOOD)).toMatch(/^HTTP\/1\.1 200 [^]*"code":"0"/);
  expect(await dribble(GOOD.slice(1))).toMatch(/^HTTP\/1\.1 408/);
});
