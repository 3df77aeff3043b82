import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkerProcess } from '../../src/bin/servers/worker.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import type { SaleSwarmReport } from '../../src/loadtest/sale/report.ts';
import type { ItemEquation } from '../../src/sale/equation.ts';
import { callCli, rain } from '../support/call.ts';
import { dial, SECRET } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openPayShop } from '../support/servers/payShop.ts';
import { openWorker } from '../support/servers/worker.ts';

let context: TestContext;
let gateway: Gateway;
let worker: WorkerProcess;
let env: Record<string, string>;

beforeAll(async () => {
  context = await openTestContext();
  gateway = await openGateway(context.redisUrl);
  worker = await openWorker(context);
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl, JWT_SECRET: SECRET };
});
afterAll(async () => {
  await worker?.close();
  await gateway?.close();
  await context?.stop();
});

const sale = (...words: string[]) => rain(['sale', ...words], env);
const json = <T>(text: string) => JSON.parse(text) as T;

/** The shop's side of a payment. */
const openShop = () =>
  openPayShop(async (reservationId) =>
    (await context.ledger.stepOrder(reservationId, 'paid')).outcome === 'done' ? 200 : 409,
  );

test('[R1][R2][R8] the whole job by commands: create, watch, top up, let buyers come, list orders, end, audit; orders of others are none of the swarm', async () => {
  const created = await sale(
    'create',
    '--title',
    'New year',
    '--item',
    'tee:20@19.90',
    '--item',
    'mug:10@9.90',
    '--per-user',
    '2',
    '--hold',
    '2s',
    '--start',
    '+1s',
    '--duration',
    '60s',
    '--load',
    '--json',
  );
  const { saleId, state } = json<{ saleId: string; state: string }>(created.stdout);
  expect(state).toBe('loaded');
  const watching = callCli(['sale', 'show', saleId, '--watch', '--json'], env);
  expect((await sale('top-up', saleId, '--item', 'tee:10')).stdout).toBe(`${saleId} got 10 tee; in total 30\n`);

  // Before the swarm, somebody else buys.
  await eventually(() => watching.stdout().includes('"state":"open"'));
  const ann = await dial(gateway.url, 'ann');
  ann.say({ type: 'buy', saleId, sku: 'mug', ref: 'mine' });
  expect(await ann.next('order')).toMatchObject({ code: '0', status: 'reserved', price: '9.90' });
  await ann.leave();

  const run = await rain(
    [
      'swarm',
      '--url',
      gateway.url,
      '--sale',
      saleId,
      '--users',
      '60',
      '--pay',
      '70%',
      '--cancel',
      '10%',
      '--pay-url',
      await openShop(),
      '--json',
    ],
    env,
  );
  const report = json<
    SaleSwarmReport & { balanced: boolean; sentence: string; audit: { items: ItemEquation[]; balanced: boolean } }
  >(run.stdout);
  expect(run.exit, report.sentence).toBe(0);
  expect(report).toMatchObject({ balanced: true, faults: 0, misunderstood: 0, audit: { balanced: true } });
  expect(report.sentence).toMatch(
    /each is an order of the ledger, and there is no other order; every item balances to the unit\.$/,
  );
  expect(report.endings).toEqual([{ name: 'done', count: 60 }]);
  // All of 40 units were reserved at some moment, some of them twice.
  expect(Object.values(report.told.units).reduce((sum, units) => sum + units, 0)).toBeGreaterThanOrEqual(39);

  expect(await sale('end', saleId)).toMatchObject({ exit: 0 });
  expect(await watching.done).toMatchObject({ exit: 0 });
  expect(json(watching.stdout().trim().split('\n').at(-1)!)).toMatchObject({ saleId, state: 'settled' });
  const [columns, ...rows] = (await sale('orders', saleId, '--csv')).stdout
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const orders = rows.map((row) => Object.fromEntries(row.map((cell, i) => [columns![i]!, cell])));
  expect(orders.map(({ orderId }) => orderId).toSorted()).toEqual(
    [...report.orders.map(({ reservationId }) => reservationId), `${saleId}-1`].toSorted(),
  );
  const audit = await sale('audit', saleId, '--json');
  expect(audit.exit).toBe(0);
  const { items, ...rest } = json<{ items: ItemEquation[]; orders: number; balanced: boolean }>(audit.stdout);
  expect(rest).toMatchObject({ saleId, orders: orders.length, balanced: true });
  const paid = (sku: string) =>
    orders
      .filter((order) => order['sku'] === sku && order['status'] === 'paid')
      .reduce((sum, { quantity }) => sum + Number(quantity), 0);
  expect(items).toEqual(
    [
      ['tee', 30],
      ['mug', 10],
    ].map(([sku, units]) => ({
      sku,
      units,
      sold: paid(String(sku)),
      reserved: 0,
      pending: 0,
      left: 0,
      returned: Number(units) - paid(String(sku)),
    })),
  );
  // Nobody paid for ann's mug.
  expect(orders.find(({ orderId }) => orderId === `${saleId}-1`)).toMatchObject({ userId: 'ann', status: 'timed_out' });
}, 60_000);

test('a ticket drop is one command: a seat each, for nothing, paid for with the tap', async () => {
  const id = (await sale('create', '--item', 'seat:3@0', '--load')).stdout.trim();
  const clients = await Promise.all(['ann', 'bob', 'cem', 'dan'].map((user) => dial(gateway.url, user)));
  const codes: string[] = [];
  for (const client of clients) {
    client.say({ type: 'buy', saleId: id, sku: 'seat' });
    codes.push((await client.next('order')).code);
  }
  expect(codes).toEqual(['0', '0', '0', '-12']);
  clients[0]!.say({ type: 'buy', saleId: id, sku: 'seat' });
  expect(await clients[0]!.next('order')).toMatchObject({ code: '1', reservationId: `${id}-1`, price: '0.00' });
  for (const client of clients.slice(0, 3)) expect(await client.next('order')).toMatchObject({ status: 'paid' });
  await eventually(async () =>
    expect(json((await sale('audit', id, '--json')).stdout)).toMatchObject({
      orders: 3,
      buyers: 3,
      balanced: true,
      items: [{ sku: 'seat', units: 3, sold: 3, left: 0 }],
    }),
  );
  await Promise.all(clients.map((client) => client.leave()));
});
