import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { Gateway } from '../../../src/gateway/server.ts';
import type { OrderStatus } from '../../../src/sale/order.ts';
import { publish } from '../../../src/store/events.ts';
import { follow } from '../../../src/store/sales.ts';
import { tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { signer } from '../../support/signer.ts';
import { narrow } from '../sockets/upgradeServers.ts';
import { stockSale, tee } from '../sales/stage.ts';
import { callerOf, openAgent } from './stage.ts';

const { server, redis } = await openRedis();
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());

const waiting = async (count: number, at: Pick<Gateway, 'ordersWaiting'> = gateway) => {
  await eventually(() => at.ordersWaiting() === count);
};
const mark = (userId: string, reservationId: string, status: OrderStatus) => ({
  userId,
  reservationId,
  status,
  mark: signer.orderMark({ userId, reservationId, status }),
});

/** A worker's step when the ledger has another status. */
async function step(
  saleId: string,
  userId: string,
  ordinal: number,
  status: Exclude<OrderStatus, 'reserved'>,
): Promise<void> {
  await follow(redis, saleId, [{ userId, ordinal, status, toStock: true }]);
  await publish(redis, { type: 'orders', saleId, orders: [mark(userId, `${saleId}-${ordinal}`, status)] });
}

test('a request that waits is answered at once when the order is written, paid and refunded', async () => {
  await stockSale(redis, { saleId: 'life', items: [tee(5)], perUserMax: 2 });
  const ann = await callerOf(gateway, 'ann');
  const { body: reserved } = await ann.buy('life', 'a', { quantity: 2 });
  const { place: _, ...others } = reserved;
  let known = 'reserved';
  for (const status of ['created', 'paid', 'refunded'] as const) {
    const asked = ann.order('life-1', `?wait=25&status=${known}`);
    await waiting(1);
    const began = performance.now();
    await step('life', 'ann', 1, status);
    expect(await asked).toMatchObject({
      status: 200,
      body: { ...others, code: '1', reason: 'already_reserved', status },
    });
    expect(performance.now() - began).toBeLessThan(10_000);
    await waiting(0);
    known = status;
  }
  expect((await ann.order('life-1', '?wait=25')).body['status'], 'nothing follows: the answer comes at once').toBe(
    'refunded',
  );
});

test('with another status than the known one, without a wait and for an unknown order the answer comes at once', async () => {
  await stockSale(redis, { saleId: 'atonce', items: [tee(5)], perUserMax: 1 });
  const [ann, bob] = [await callerOf(gateway, 'ann'), await callerOf(gateway, 'bob')];
  await ann.buy('atonce');
  for (const query of ['', '?wait=0', '?status=reserved', '?wait=25&status=created'])
    expect(await ann.order('atonce-1', query), query).toMatchObject({
      status: 200,
      body: { status: 'reserved', place: 1 },
    });
  expect((await bob.order('atonce-1', '?wait=25')).status).toBe(404);
  await waiting(0);
});

test('the time runs out with the present status, also when its event was lost', async () => {
  await stockSale(redis, { saleId: 'late', items: [tee(5)], perUserMax: 1 });
  const ann = await callerOf(gateway, 'ann');
  await ann.buy('late');
  const asked = ann.order('late-1', '?wait=1');
  await waiting(1);
  await follow(redis, 'late', [{ userId: 'ann', ordinal: 1, status: 'created', toStock: true }]);
  expect((await asked).body).toMatchObject({ status: 'created' });
});

test('[R9] an event that nobody has signed, the same status again and the order of another user wake nobody', async () => {
  await stockSale(redis, { saleId: 'asleep', items: [tee(5)], perUserMax: 1 });
  const [ann, bob] = [await callerOf(gateway, 'ann'), await callerOf(gateway, 'bob')];
  await Promise.all([ann.buy('asleep'), bob.buy('asleep')]);
  const mine = (await ann.buy('asleep')).body['reservationId'] as string;
  const asked = ann.order(mine, '?wait=25');
  await waiting(1);
  const forged = { ...mark('ann', mine, 'created'), status: 'paid' as const };
  await publish(redis, {
    type: 'orders',
    saleId: 'asleep',
    orders: [forged, mark('ann', mine, 'reserved'), mark('bob', mine, 'paid')],
  });
  await step('asleep', 'ann', Number(mine.split('-')[1]), 'created');
  expect((await asked).body).toMatchObject({ status: 'created' });
});

test('[R12] a wait or a status that is none, and an id that is none, are refused by name', async () => {
  const ann = await callerOf(gateway, 'ann');
  for (const wait of ['26', '-1', '1.5', 'soon', '1e9'])
    expect(await ann.order('x-1', `?wait=${wait}`), wait).toMatchObject({
      status: 400,
      body: { code: 'bad_field', reason: 'wait: expected a whole number of seconds from 0 to 25' },
    });
  expect((await ann.order('x-1', '?status=lost')).body['reason']).toMatch(/^status: expected one of reserved, created/);
  expect((await ann.order('x-1', '?wait=1&wait=2')).body['reason']).toBe('wait: expected once');
  expect((await ann.order('x-1', '?user=bob')).body['reason']).toContain('Unrecognized key: "user"');
  for (const id of ['x', 'x-0', 'x-01', '-1', 'a:b-1', 'x-1x'])
    expect(await ann.order(id), id).toMatchObject({
      status: 400,
      body: { reason: 'reservationId: expected the id of a reservation, such as autumn-17' },
    });
});

test('[R10] requests that wait are bounded for a user and in total, and who hangs up gives the place back', async () => {
  const small = await narrow(server.url, { orderWaitsMax: 3, orderWaitsPerUserMax: 2 }, { trustedProxies: 0 });
  await stockSale(redis, { saleId: 'places', items: [tee(5)], perUserMax: 1 });
  const agent = openAgent();
  const [ann, bob] = [await callerOf(small, 'ann', { agent }), await callerOf(small, 'bob')];
  const [mine, his] = [
    (await ann.buy('places')).body['reservationId'] as string,
    (await bob.buy('places')).body['reservationId'] as string,
  ];
  const held = [ann.order(mine, '?wait=25'), ann.order(mine, '?wait=25')].map((asked) => asked.catch(() => 'hung up'));
  await waiting(2, small);
  expect(await ann.order(mine, '?wait=25')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { code: '-7', saleId: 'places' },
  });
  expect((await ann.order(mine)).status, 'without a wait').toBe(200);
  const other = bob.order(his, '?wait=25');
  await waiting(3, small);
  expect((await bob.order(his, '?wait=25')).status).toBe(503);
  expect([small.counters.refused.order_waits_per_user, small.counters.refused.order_waits]).toEqual([1, 1]);
  agent.destroy();
  expect(await Promise.all(held)).toEqual(['hung up', 'hung up']);
  await waiting(1, small);
  await step('places', 'bob', Number(his.split('-')[1]), 'created');
  expect((await other).body).toMatchObject({ status: 'created' });
});

test('a waiting request takes a place of its address, as a socket does', async () => {
  const small = await narrow(server.url, { socketsPerAddressMax: 1 });
  await stockSale(redis, { saleId: 'office', items: [tee(5)], perUserMax: 1 });
  const [ann, bob, far] = await Promise.all(
    [
      ['ann', '203.0.113.1'],
      ['bob', '203.0.113.1'],
      ['far', '203.0.113.2'],
    ].map(([user, address]) => callerOf(small, user!, { headers: { 'x-forwarded-for': address! } })),
  );
  const ids = [];
  for (const caller of [ann!, bob!, far!]) ids.push((await caller.buy('office')).body['reservationId'] as string);
  const held = ann!.order(ids[0]!, '?wait=25');
  await waiting(1, small);
  expect((await bob!.order(ids[1]!, '?wait=25')).status).toBe(503);
  expect(small.counters.refused.sockets_per_address).toBe(1);
  const elsewhere = far!.order(ids[2]!, '?wait=25');
  await waiting(2, small);
  await step('office', 'ann', Number(ids[0]!.split('-')[1]), 'created');
  await step('office', 'far', Number(ids[2]!.split('-')[1]), 'created');
  expect([(await held).status, (await elsewhere).status]).toEqual([200, 200]);
  const next = bob!.order(ids[1]!, '?wait=1');
  expect((await next).status).toBe(200);
});

test('a gateway that closes answers those who wait with the status they have', async () => {
  const closing = await openGateway(server.url);
  let closed = false;
  onTestFinished(async () => {
    if (!closed) await closing.close();
  });
  await stockSale(redis, { saleId: 'closing', items: [tee(5)], perUserMax: 1 });
  const ann = await callerOf(closing, 'ann');
  await ann.buy('closing');
  const asked = ann.order('closing-1', '?wait=25');
  await waiting(1, closing);
  const closes = closing.close();
  expect(await asked).toMatchObject({ status: 200, headers: { connection: 'close' }, body: { status: 'reserved' } });
  await closes;
  closed = true;
});

test('a gateway that closes while it reads an order for somebody who wants to wait answers first', async () => {
  const closing = await openGateway(server.url);
  await stockSale(redis, { saleId: 'reading', items: [tee(5)], perUserMax: 1 });
  const ann = await callerOf(closing, 'ann');
  await ann.buy('reading');
  process.kill(server.pid, 'SIGSTOP');
  const asked = ann.order('reading-1', '?wait=25');
  await waiting(1, closing);
  const closes = closing.close();
  // Long enough for a gateway that would not wait for the answer.
  await sleep(200).finally(() => process.kill(server.pid, 'SIGCONT'));
  expect(await asked).toMatchObject({ status: 200, headers: { connection: 'close' }, body: { status: 'reserved' } });
  await closes;
});

test('a gateway that closes answers the purchases under way, and refuses others with a pause', async () => {
  const closing = await openGateway(server.url);
  await stockSale(redis, { saleId: 'last', items: [tee(5)], perUserMax: 1 });
  const [ann, bob] = [await callerOf(closing, 'ann'), await callerOf(closing, 'bob')];
  await bob.sale('last');
  process.kill(server.pid, 'SIGSTOP');
  const asked = ann.buy('last');
  await eventually(() => closing.grabsPending() === 1);
  const closes = closing.close();
  const refused = await bob.buy('last').finally(() => process.kill(server.pid, 'SIGCONT'));
  expect(refused).toMatchObject({
    status: 503,
    headers: { connection: 'close', 'retry-after': '1' },
    body: { code: 503, reason: 'unavailable' },
  });
  expect(await asked).toMatchObject({ status: 200, body: { code: '0', reservationId: 'last-1' } });
  await closes;
});

test('two requests on one connection before the first is answered: the second does not wait', async () => {
  await stockSale(redis, { saleId: 'line', items: [tee(5)], perUserMax: 1 });
  const ann = await callerOf(gateway, 'ann');
  await ann.buy('line');
  const socket = connect(gateway.port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let heard = '';
  socket.on('data', (data) => {
    heard += String(data);
  });
  const ask = `GET /v1/orders/line-1?wait=25 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await tokenFor('ann')}\r\n\r\n`;
  socket.write(ask + ask);
  await waiting(1);
  await step('line', 'ann', 1, 'created');
  await eventually(() => (heard.match(/HTTP\/1\.1 200/g) ?? []).length === 2);
  await waiting(0);
});
