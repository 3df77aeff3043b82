import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { startExpirer } from '../../src/orders/expirer.ts';
import { startFollower } from '../../src/orders/follower.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { readSale } from '../../src/store/sales.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { tamper } from '../support/servers/plain-sql.ts';
import { signer } from '../support/signer.ts';
import { openedSale, reservationLog, reserve, reserveTees, writeLog } from './saleStage.ts';

let context: TestContext;
const working: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(working.splice(0).map((part) => part.close()));
});
afterAll(() => context?.stop());

const log = createLog('orders', 'silent');
const startExpiring = (ordersMax?: number, ledger: Pick<Ledger, 'expireOrders'> = context.ledger) => {
  const expirer = startExpirer({ ledger, log, everyMs: 10, ...(ordersMax && { ordersMax }) });
  working.push(expirer);
  return expirer;
};
const startFollowing = () =>
  void working.push(startFollower({ redis: context.redis, ledger: context.ledger, signer, log, everyMs: 10 }));

test('what is not paid in time is ended, and sold again while the sale is open; what is paid stays', async () => {
  await openedSale(context, 'hold', { holdMs: 400 });
  await reserveTees(context, 'hold', 10);
  await writeLog(context, 'hold');
  for (const n of [1, 2, 3]) await context.ledger.stepOrder(`hold-${n}`, 'paid');
  startExpiring();
  startExpiring();
  startFollowing();
  const again = await eventually(async () => {
    const [answer] = await reserve(context, 'hold', [{ userId: 'late', sku: 'tee', quantity: 7 }]);
    return answer!.code === '0' ? answer : false;
  });
  expect(again).toMatchObject({ quantity: 7, status: 'reserved' });
  expect((await readSale(context.redis, 'hold'))!.items[0]).toMatchObject({ booked: 10, sold: 3, returned: 0 });
  expect((await context.ledger.orders({ saleId: 'hold', status: 'timed_out' })).map(({ id }) => id).sort()).toEqual([
    'hold-10',
    'hold-4',
    'hold-5',
    'hold-6',
    'hold-7',
    'hold-8',
    'hold-9',
  ]);
});

test('several expirers share the orders: each is ended once, also when there are more than a statement takes', async () => {
  await openedSale(context, 'share', { holdMs: 1, items: [{ sku: 'tee', units: 500, price: '19.90' }] });
  await reserveTees(context, 'share', 500);
  await writeLog(context, 'share');
  const expirers = [startExpiring(30), startExpiring(30), startExpiring(30)];
  await eventually(async () =>
    expect(await context.ledger.orderCounts('share')).toEqual({ orders: 500, created: 0, unfollowed: 500 }),
  );
  await Promise.all(working.splice(0).map((part) => part.close()));
  expect(expirers.reduce((sum, { counters }) => sum + counters.expired, 0)).toBe(500);
  expect((await context.ledger.stock('share'))[0]!.accounts).toEqual({
    shop: -500,
    available: 500,
    reserved: 0,
    sold: 0,
  });
});

test('a wave of 10,000 is ended in one statement, also after the database has kept its plans from the steps of single orders', async () => {
  const WAVE = 10_000;
  await openedSale(context, 'wave', { items: [{ sku: 'tee', units: WAVE + 10, price: '19.90' }] });
  const insert = (from: number, to: number) =>
    tamper(
      context.databaseUrl,
      `INSERT INTO "SaleOrder" ("id", "saleId", "userId", "sku", "quantity", "priceCents", "reservedAt", "payBy")
    SELECT 'wave-' || n, 'wave', 'u' || n, 'tee', 1, 1990, now() - interval '61 seconds', now() - interval '1 second' FROM generate_series(${from}, ${to}) AS n`,
    );
  await insert(1, 10);
  for (let n = 1; n <= 10; n++)
    expect(await context.ledger.stepOrder(`wave-${n}`, 'paid')).toMatchObject({ outcome: 'done' });
  await insert(11, WAVE + 10);
  // By nested loops it would take the square of the orders, and more than a statement may take.
  expect(await context.ledger.expireOrders(WAVE)).toBe(WAVE);
  expect((await context.ledger.stock('wave'))[0]!.accounts).toEqual({
    shop: -WAVE - 10,
    available: WAVE,
    reserved: 0,
    sold: 10,
  });
}, 60_000);

/** Tries again when a busy machine has no connection in time: then nothing was sent. */
async function pay(orderId: string): ReturnType<TestContext['ledger']['stepOrder']> {
  for (;;) {
    try {
      return await context.ledger.stepOrder(orderId, 'paid');
    } catch (error) {
      if (!String(error).includes('timeout exceeded when trying to connect')) throw error;
    }
  }
}

test('of 1,000 races of a payment against the time-out exactly one side wins each, and both stores have the same units', async () => {
  const RACES = 1_000;
  await openedSale(context, 'race', { holdMs: 2_500, items: [{ sku: 'tee', units: RACES, price: '19.90' }] });
  await reserveTees(context, 'race', RACES);
  const at = Date.now();
  await context.ledger.writeOrders(
    (await reservationLog(context, 'race')).map((reservation, i) => ({
      ...reservation,
      at: String(at + Math.floor((600 * i) / RACES)),
    })),
  );
  const orders = await context.ledger.orders({ saleId: 'race' }, RACES);
  // The expirers have connections of their own, as another process has: they do not stand in line behind the payments.
  const database = connectDatabase(context.databaseUrl);
  const ledger = openLedger(database);
  startExpiring(50, ledger);
  startExpiring(50, ledger);
  startFollowing();
  // Each is paid at its deadline, a little before or after.
  const steps = await Promise.all(
    orders.map(async (order, i) => {
      await eventually(() => Date.now() >= order.payBy - 40 + ((i * 7) % 80), { everyMs: 5 });
      return pay(order.id);
    }),
  );
  await eventually(async () =>
    expect(await context.ledger.orderCounts('race')).toMatchObject({ created: 0, unfollowed: 0 }),
  );
  const paid = steps.filter(({ outcome }) => outcome === 'done').length;
  for (const step of steps)
    expect([
      ['done', 'paid'],
      ['refused', 'timed_out'],
    ]).toContainEqual([step.outcome, 'order' in step && step.order.status]);
  const [stock] = await context.ledger.stock('race');
  expect(stock).toMatchObject({
    accounts: { shop: -RACES, available: RACES - paid, reserved: 0, sold: paid },
    paid,
    created: 0,
    orders: RACES,
  });
  expect(stock!.transfers).toEqual(stock!.accounts);
  expect((await readSale(context.redis, 'race'))!.items[0]).toMatchObject({ booked: paid, sold: paid, returned: 0 });
  // A test in which one side always wins shows nothing.
  expect(paid).toBeGreaterThan(0);
  expect(paid).toBeLessThan(RACES);
  await Promise.all(working.splice(0).map((part) => part.close()));
  await database.$disconnect();
}, 60_000);
