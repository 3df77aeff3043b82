import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startSaleSettler } from '../../src/maintenance/saleSettler.ts';
import { settleSale } from '../../src/maintenance/settleSale.ts';
import { startFollower } from '../../src/orders/follower.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { auditSale } from '../../src/operator/sale/audit.ts';
import { redisNow } from '../../src/store/rains.ts';
import { closeSale } from '../../src/store/saleEnd.ts';
import { LIVE_SALES_KEY, saleKeys } from '../../src/store/saleKeys.ts';
import { liveSales, readSale, settledSales } from '../../src/store/sales.ts';
import { openedSale, reserve, reserveTees, writeLog } from '../orders/saleStage.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { signer } from '../support/signer.ts';

let context: TestContext;
const working: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(working.splice(0).map((part) => part.close()));
});
afterAll(() => context?.stop());

const log = createLog('settler', 'silent');
function startSettling(differing: Partial<Parameters<typeof startSaleSettler>[0]> = {}): void {
  working.push(startSaleSettler({ context, log, everyMs: 10, tidyMs: 20, ...differing }));
  working.push(startFollower({ redis: context.redis, ledger: context.ledger, signer, log, everyMs: 10 }));
}
const isSettled = (saleId: string) =>
  eventually(async () => {
    expect((await context.ledger.sale(saleId))!.settledAt).toBeDefined();
    expect((await settledSales(context.redis)).has(saleId)).toBe(true);
  });
const tees = async (saleId: string) => (await readSale(context.redis, saleId))!.items[0]!;
const end = async (saleId: string) => {
  expect(await closeSale(context.redis, saleId, 'early')).toBe(true);
  await context.ledger.sealSale(saleId);
};

test('a sale is settled when its time is over, its log is written, nobody may pay any more and Redis has followed', async () => {
  const sale = await openedSale(context, 'steps');
  await reserveTees(context, 'steps', 4);
  startSettling();
  const outcome = async () => settleSale(context, 'steps', { title: 'steps' }, {});
  expect(await outcome()).toEqual({ outcome: 'not_due' });
  const window = { opensAt: sale.opensAt, closesAt: await redisNow(context.redis) };
  expect(await context.ledger.rescheduleSale('steps', window, { actor: 'test', verb: 'start' }, sale)).toBe(true);
  await context.redis.hset(saleKeys('steps').state, 'closesAt', window.closesAt);
  expect(await outcome()).toEqual({ outcome: 'waiting', for: 'orders', count: 4 });
  await writeLog(context, 'steps');
  expect(await outcome()).toEqual({ outcome: 'waiting', for: 'payments', count: 4 });
  await context.ledger.stepOrder('steps-1', 'paid');
  await context.ledger.stepOrder('steps-2', 'paid');
  await context.ledger.stepOrder('steps-3', 'cancelled');
  await context.ledger.stepOrder('steps-4', 'timed_out');
  await isSettled('steps');
  // Unsold units, and those that came back after the end, are at the shop, in both stores.
  expect((await context.ledger.stock('steps'))[0]!.accounts).toEqual({ shop: -2, available: 0, reserved: 0, sold: 2 });
  expect(await tees('steps')).toMatchObject({ units: 10, booked: 2, sold: 2, returned: 8 });
  expect(
    await reserve(context, 'steps', [
      { userId: 'u9', sku: 'tee', quantity: 1 },
      { userId: 'u1', sku: 'tee', quantity: 1 },
    ]),
  ).toMatchObject([{ code: '-3' }, { code: '1', status: 'paid' }]);
  expect((await liveSales(context.redis)).has('steps')).toBe(false);
  const { state, stock, buyers, reservations } = saleKeys('steps');
  for (const key of [state, stock, buyers, reservations]) expect(await context.redis.pttl(key)).toBeGreaterThan(0);
});

test('a refund after the settlement goes to the shop, in both stores; also after Redis has forgotten the sale', async () => {
  await openedSale(context, 'refund');
  await reserveTees(context, 'refund', 2);
  await writeLog(context, 'refund');
  for (const n of [1, 2]) await context.ledger.stepOrder(`refund-${n}`, 'paid');
  await end('refund');
  startSettling();
  await isSettled('refund');
  await context.ledger.stepOrder('refund-1', 'refunded');
  await eventually(async () => expect(await tees('refund')).toMatchObject({ booked: 1, sold: 1, returned: 9 }));
  expect(await auditSale(context, 'refund')).toMatchObject({ report: { balanced: true }, problems: [] });
  await context.redis.del(saleKeys('refund').state, saleKeys('refund').stock, saleKeys('refund').buyers);
  await eventually(async () => expect((await settledSales(context.redis)).has('refund')).toBe(false));
  await context.ledger.stepOrder('refund-2', 'refunded');
  await eventually(async () => expect(await context.ledger.orderCounts('refund')).toMatchObject({ unfollowed: 0 }));
});

test('a sale that is not balanced is not settled, is told once, and delays no other', async () => {
  for (const id of ['a-forged', 'good']) {
    await openedSale(context, id);
    await reserveTees(context, id, 1);
    await writeLog(context, id);
    await context.ledger.stepOrder(`${id}-1`, 'paid');
  }
  await context.redis.hincrby(saleKeys('a-forged').stock, 'tee:booked', 3);
  await end('a-forged');
  await end('good');
  const { log: heardLog, heard } = listeningLog();
  startSettling({ log: heardLog });
  await isSettled('good');
  await eventually(() =>
    expect(heard).toMatchObject([
      {
        level: 'error',
        saleId: 'a-forged',
        problems: ['Redis counts 4 tee as booked; by the log and the ledger they are 1'],
      },
    ]),
  );
  await context.redis.hincrby(saleKeys('a-forged').stock, 'tee:booked', -3);
  await isSettled('a-forged');
  expect(heard).toHaveLength(1);
});

test('a reservation that comes into the log after the audit keeps the sale from being settled', async () => {
  await openedSale(context, 'restored');
  const [id] = await reserveTees(context, 'restored', 1);
  await writeLog(context, 'restored');
  await context.ledger.stepOrder(id!, 'paid');
  working.push(startFollower({ redis: context.redis, ledger: context.ledger, signer, log, everyMs: 10 }));
  await eventually(async () => expect(await context.ledger.orderCounts('restored')).toMatchObject({ unfollowed: 0 }));
  await end('restored');
  const late = async () => {
    await context.redis.lpush(saleKeys('restored').reservations, 'restored meanwhile');
    return { balanced: true, problems: [] };
  };
  expect(await settleSale(context, 'restored', { title: 'restored' }, { audit: late })).toMatchObject({
    outcome: 'waiting',
  });
  expect((await context.ledger.sale('restored'))!.settledAt).toBeUndefined();
  await context.redis.lpop(saleKeys('restored').reservations);
  expect(await settleSale(context, 'restored', { title: 'restored' }, {})).toEqual({ outcome: 'settled' });
});

test('killed between the ledger and Redis, it is settled in Redis the next time', async () => {
  await openedSale(context, 'half');
  await reserveTees(context, 'half', 3);
  await writeLog(context, 'half');
  for (const n of [1, 2, 3]) await context.ledger.stepOrder(`half-${n}`, 'cancelled');
  await end('half');
  working.push(startFollower({ redis: context.redis, ledger: context.ledger, signer, log, everyMs: 10 }));
  await eventually(async () => expect(await context.ledger.orderCounts('half')).toMatchObject({ unfollowed: 0 }));
  const dying = {
    ...context,
    ledger: {
      ...context.ledger,
      settleSale: async (saleId: string) => {
        await context.ledger.settleSale(saleId);
        throw new Error('killed');
      },
    },
  };
  await expect(settleSale(dying, 'half', { title: 'half' }, {})).rejects.toThrow('killed');
  expect(await readSale(context.redis, 'half')).toMatchObject({ state: 'closed' });
  startSettling();
  await isSettled('half');
  expect(await tees('half')).toMatchObject({ booked: 0, sold: 0, returned: 10 });
  expect((await context.ledger.stock('half'))[0]!.accounts).toEqual({ shop: 0, available: 0, reserved: 0, sold: 0 });
});

test('a sale that was ended early and is opened again in Redis, by a failover or by hand, is closed again', async () => {
  await openedSale(context, 'reopened');
  await context.ledger.sealSale('reopened');
  startSettling();
  await isSettled('reopened');
  expect(await tees('reopened')).toMatchObject({ booked: 0, returned: 10 });
});

test('a sale that was never written to Redis goes back when its time is over; one that Redis has lost is told', async () => {
  const over = { opensAt: Date.now() - 2_000, closesAt: Date.now() - 1_000 };
  await context.ledger.createSale(
    {
      id: 'never',
      title: 'never',
      ...over,
      holdMs: 1_000,
      orderService: 'builtin',
      items: [{ sku: 'tee', units: 3, price: '1.00' }],
    },
    'test',
  );
  await openedSale(context, 'lost', over);
  await context.ledger.writeOrders([
    {
      saleId: 'lost',
      reservationId: 'lost-1',
      userId: 'u1',
      sku: 'tee',
      quantity: 1,
      price: '19.90',
      at: String(Date.now()),
      payBy: String(Date.now() + 60_000),
    },
  ]);
  await context.redis.del(saleKeys('lost').state);
  await context.redis.hdel(LIVE_SALES_KEY, 'lost');
  const { log: heardLog, heard } = listeningLog();
  startSettling({ log: heardLog });
  await eventually(async () => expect((await context.ledger.sale('never'))!.settledAt).toBeDefined());
  expect((await context.ledger.stock('never'))[0]!.accounts).toEqual({ shop: 0, available: 0, reserved: 0, sold: 0 });
  await eventually(() => expect(heard.filter(({ saleId }) => saleId === 'lost')).toHaveLength(1));
  expect((await context.ledger.sale('lost'))!.settledAt).toBeUndefined();
});

test('a sale that was taken from the index, or that has another title there or nothing readable, is put back, with its title, and is settled', async () => {
  await openedSale(context, 'unlisted', { title: 'New year', rehearsal: true });
  await context.redis.hdel(LIVE_SALES_KEY, 'unlisted');
  const { log: heardLog, heard } = listeningLog();
  startSettling({ log: heardLog });
  await eventually(async () =>
    expect((await liveSales(context.redis)).get('unlisted')).toEqual({ title: 'New year', rehearsal: true }),
  );
  // Told when all of them are put back.
  await eventually(() =>
    expect(heard.filter(({ saleId }) => saleId === 'unlisted')).toMatchObject([
      { level: 'error', msg: expect.stringContaining('was missing in the index') },
    ]),
  );
  await Promise.all(working.splice(0).map((part) => part.close()));
  await context.redis.hset(LIVE_SALES_KEY, 'unlisted', '{"title":"Pay elsewhere","rehearsal":true}');
  startSettling();
  await eventually(async () => expect((await liveSales(context.redis)).get('unlisted')?.title).toBe('New year'));
  await end('unlisted');
  await Promise.all(working.splice(0).map((part) => part.close()));
  await context.redis.hset(LIVE_SALES_KEY, 'unlisted', 'rubbish');
  startSettling();
  await isSettled('unlisted');
});

test('a hundred lost sales, which nobody can settle, do not keep a later one from going back', async () => {
  const long = { holdMs: 1_000, orderService: 'builtin', items: [{ sku: 'tee', units: 1, price: '1.00' }] } as const;
  for (let n = 0; n < 100; n++) {
    await context.ledger.createSale(
      { id: `hides-${n}`, title: '', opensAt: 1_000, closesAt: 2_000 + n, ...long },
      'test',
    );
    await context.ledger.record({ actor: 'test', verb: 'load', rainId: `hides-${n}`, details: {} });
  }
  await context.ledger.createSale(
    { id: 'hidden', title: '', opensAt: 1_000, closesAt: Date.now() - 1, ...long },
    'test',
  );
  startSettling();
  await eventually(async () => expect((await context.ledger.sale('hidden'))!.settledAt).toBeDefined());
  expect((await context.ledger.sale('hides-0'))!.settledAt).toBeUndefined();
});

test('a sale that waits for its orders for minutes is a warning, once', async () => {
  await openedSale(context, 'waits');
  await reserveTees(context, 'waits', 2);
  await end('waits');
  const { log: heardLog, heard } = listeningLog();
  let visits = 0;
  const ledger = { ...context.ledger, orderCounts: (saleId: string) => (visits++, context.ledger.orderCounts(saleId)) };
  startSettling({ log: heardLog, waitingMs: 100, context: { ...context, ledger } });
  const warnings = () => heard.filter(({ saleId }) => saleId === 'waits');
  await eventually(() => expect(warnings()).toMatchObject([{ level: 'warn', for: 'orders', count: 2 }]));
  const since = visits;
  await eventually(() => visits > since + 2);
  expect(warnings()).toHaveLength(1);
});

test.each(['closed', 'settled'])(
  'a sale that only Redis calls %s before its end is not settled, and its units stay',
  async (state) => {
    await openedSale(context, `early-${state}`);
    await context.redis.hset(saleKeys(`early-${state}`).state, 'state', state);
    expect(await settleSale(context, `early-${state}`, { title: '' }, {})).toMatchObject({
      outcome: 'not_balanced',
      problems: [expect.stringContaining('nobody has ended it')],
    });
    expect(await context.ledger.sale(`early-${state}`)).not.toMatchObject({ settledAt: expect.any(Number) as number });
    expect((await context.ledger.stock(`early-${state}`))[0]!.accounts).toMatchObject({ available: 10 });
  },
);
