import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { cancelOrders } from '../../src/ledger/orders.ts';
import { startCancels } from '../../src/orders/cancels.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { leaseWishes, readWishes } from '../../src/store/cancels.ts';
import { createSigner } from '../../src/store/signer.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { openedSale, reserve, reserveTees, wishToCancel, writeLog } from './saleStage.ts';
import { laterSigner, signer } from '../support/signer.ts';
import { listeningLog } from '../support/log.ts';

let context: TestContext;
const working: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(working.splice(0).map((part) => part.close()));
});
afterAll(() => context?.stop());

function startCancelling(differing: Partial<Parameters<typeof startCancels>[0]> = {}) {
  const cancels = startCancels({
    redis: context.redis,
    signer,
    ledger: context.ledger,
    log: createLog('cancels', 'silent'),
    everyMs: 10,
    ...differing,
  });
  working.push(cancels);
  return cancels;
}

const wish = (saleId: string, userId: string, ordinal: number) =>
  `${userId} ${ordinal} ${signer.wishMac({ saleId, userId, ordinal })}`;
const wishes = (saleId: string) => readWishes(context.redis, saleId, 1_000);
const statuses = async (saleId: string) =>
  (await context.ledger.orders({ saleId }))
    .map(({ id, status }) => [Number(id.slice(saleId.length + 1)), status] as const)
    .sort(([a], [b]) => a - b)
    .map(([, status]) => status);

test('what buyers wish to cancel is cancelled, also a wish that comes twice; a paid order stays', async () => {
  await openedSale(context, 'wish');
  await reserveTees(context, 'wish', 4);
  await writeLog(context, 'wish');
  await context.ledger.stepOrder('wish-3', 'paid');
  for (const n of [1, 1, 2, 3]) expect(await wishToCancel(context, 'wish', `u${n}`, n)).toBe('reserved');
  expect(await wishToCancel(context, 'wish', 'u1', 2)).toBeUndefined();
  startCancelling();
  await eventually(async () => expect(await wishes('wish')).toEqual([]));
  expect(await statuses('wish')).toEqual(['cancelled', 'cancelled', 'paid', 'created']);
});

test('a wish that comes before its order is carried out when the order is there, and holds up no other', async () => {
  await openedSale(context, 'early');
  const [first] = await reserveTees(context, 'early', 1);
  await wishToCancel(context, 'early', 'u1', 1);
  await reserveTees(context, 'early', 1, 2);
  await context.ledger.writeOrders([
    {
      saleId: 'early',
      reservationId: 'early-2',
      userId: 'u2',
      sku: 'tee',
      quantity: 1,
      price: '19.90',
      at: String(Date.now()),
      payBy: String(Date.now() + 60_000),
    },
  ]);
  await wishToCancel(context, 'early', 'u2', 2);
  startCancelling();
  await eventually(async () => expect(await statuses('early')).toEqual(['cancelled']));
  await eventually(async () => expect(await wishes('early')).toEqual([wish('early', 'u1', 1)]));
  expect(first).toBe('early-1');
  await writeLog(context, 'early');
  await eventually(async () => expect(await statuses('early')).toEqual(['cancelled', 'cancelled']));
  await eventually(async () => expect(await wishes('early')).toEqual([]));
});

test('a wish for a reservation that the ledger has refused is dropped, and one whose order is on its way stays', async () => {
  await openedSale(context, 'refused');
  await reserveTees(context, 'refused', 2);
  await context.ledger.refuseReservations([
    {
      saleId: 'refused',
      reservationId: 'refused-1',
      userId: 'u1',
      sku: 'tee',
      quantity: 1,
      reason: 'limit',
      detail: 'too many',
    },
  ]);
  for (const n of [1, 2]) await wishToCancel(context, 'refused', `u${n}`, n);
  startCancelling();
  await eventually(async () => expect(await wishes('refused')).toEqual([wish('refused', 'u2', 2)]));
  await context.ledger.writeOrders([
    {
      saleId: 'refused',
      reservationId: 'refused-2',
      userId: 'u2',
      sku: 'tee',
      quantity: 1,
      price: '19.90',
      at: String(Date.now()),
      payBy: String(Date.now() + 60_000),
    },
  ]);
  await eventually(async () => expect(await wishes('refused')).toEqual([]));
  expect(await statuses('refused')).toEqual(['cancelled']);
});

test('killed between the ledger and the list, the wish is repeated, which is harmless', async () => {
  await openedSale(context, 'cut');
  await reserveTees(context, 'cut', 1);
  await writeLog(context, 'cut');
  await wishToCancel(context, 'cut', 'u1', 1);
  // It has cancelled, and comes no further.
  let done = false;
  startCancelling({
    leaseMs: 50,
    ledger: {
      ...context.ledger,
      cancelOrders: async (asked) => {
        await context.ledger.cancelOrders(asked);
        done = true;
        return new Promise(() => {});
      },
    },
  });
  working.pop();
  await eventually(() => done);
  expect(await wishes('cut')).toEqual([wish('cut', 'u1', 1)]);
  startCancelling();
  await eventually(async () => expect(await wishes('cut')).toEqual([]));
  expect(await statuses('cut')).toEqual(['cancelled']);
  expect((await context.ledger.stock('cut'))[0]!.accounts).toEqual({ shop: -10, available: 10, reserved: 0, sold: 0 });
});

test('a lease that somebody holds for ever is obeyed for a while only', async () => {
  await openedSale(context, 'held');
  await reserveTees(context, 'held', 1);
  await writeLog(context, 'held');
  await wishToCancel(context, 'held', 'u1', 1);
  expect(await leaseWishes(context.redis, 'held', 'somebody', 3_600_000)).toBe(true);
  let asked = 0;
  const ledger = {
    ...context.ledger,
    cancelOrders: (...args: Parameters<typeof context.ledger.cancelOrders>) => {
      asked++;
      return context.ledger.cancelOrders(...args);
    },
  };
  const since = performance.now();
  startCancelling({ ledger, leasedMs: 300 });
  await eventually(async () => expect(await wishes('held')).toEqual([]));
  expect(performance.now() - since).toBeGreaterThan(290);
  expect(asked).toBe(1);
});

test('[R14] a wish that no gateway has signed cancels nothing, not even in the name of the buyer; it is dropped, counted and told', async () => {
  await openedSale(context, 'forged');
  await openedSale(context, 'elsewhere');
  await reserveTees(context, 'forged', 2);
  await writeLog(context, 'forged');
  const forged = [
    'u1 1',
    wish('forged', 'thief', 1),
    'u1 1 QlYQq3biYlIv_36U',
    wish('elsewhere', 'u1', 1),
    wish('forged', 'u1', 2),
    wish('forged', 'u2', 1).replace('u2', 'u1'),
    'nonsense',
    'u1 0',
    'u1 -1',
    'u1 1e3',
    '',
  ];
  await context.redis.lpush(saleKeys('forged').cancels, ...forged);
  const { log, heard } = listeningLog();
  const { counters } = startCancelling({ log });
  await eventually(async () => expect(await wishes('forged')).toEqual([]));
  expect(await statuses('forged')).toEqual(['created', 'created']);
  // Two have a signature, of users who have no such order: the ledger knows whose it is.
  expect(counters).toEqual({ cancelWishes: 2, forgedWishes: forged.length - 2 });
  expect(heard).toEqual([
    {
      level: 'error',
      saleId: 'forged',
      forged: forged.length - 2,
      msg: expect.stringContaining('not signed with SIGNING_SECRET') as string,
    },
  ]);
});

test('a worker with another SIGNING_SECRET than the sale drops no wish: it cannot tell', async () => {
  await openedSale(context, 'secret');
  await reserveTees(context, 'secret', 1);
  await writeLog(context, 'secret');
  await context.redis.hset(saleKeys('secret').state, 'signedBy', signer.keyId);
  await wishToCancel(context, 'secret', 'u1', 1);
  const { log, heard } = listeningLog();
  const stranger = startCancelling({ log, signer: createSigner('a-secret-of-another-system-0123456789-0123456789') });
  await eventually(() =>
    expect(heard.map(({ msg }) => msg)).toEqual(['wishes to cancel cannot be carried out, will try again']),
  );
  await stranger.close();
  expect([await wishes('secret'), stranger.counters]).toEqual([
    [wish('secret', 'u1', 1)],
    { cancelWishes: 0, forgedWishes: 0 },
  ]);
  startCancelling({ signer: laterSigner });
  await eventually(async () => expect(await statuses('secret')).toEqual(['cancelled']));
});

test('[R10] a list that somebody has filled with junk refuses wishes until it is cleared away, and that takes a moment', async () => {
  await openedSale(context, 'junk');
  await reserveTees(context, 'junk', 2);
  await writeLog(context, 'junk');
  await wishToCancel(context, 'junk', 'u1', 1);
  await context.redis.eval(
    "for i = 1, 100 do local junk = {} for j = 1, 1000 do junk[j] = 'u2 2 ' .. i .. '-' .. j end redis.call('RPUSH', KEYS[1], unpack(junk)) end",
    1,
    saleKeys('junk').cancels,
  );
  expect(await wishToCancel(context, 'junk', 'u2', 2)).toBe('full');
  const { counters } = startCancelling();
  await eventually(async () => expect(await statuses('junk')).toEqual(['cancelled', 'created']), { timeoutMs: 10_000 });
  // Counted after the ledger has the step.
  await eventually(() => expect(counters).toEqual({ cancelWishes: 1, forgedWishes: 100_000 }));
  expect(await wishToCancel(context, 'junk', 'u2', 2)).toBe('reserved');
  await eventually(async () => expect(await statuses('junk')).toEqual(['cancelled', 'cancelled']));
});

test('1,200 wishes of one sale are carried out by three workers, and the units are there once', async () => {
  await openedSale(context, 'many', { items: [{ sku: 'tee', units: 1_200, price: '19.90' }] });
  await reserve(
    context,
    'many',
    Array.from({ length: 1_200 }, (_, i) => ({ userId: `u${i + 1}`, sku: 'tee', quantity: 1 })),
  );
  await writeLog(context, 'many');
  await Promise.all(Array.from({ length: 1_200 }, (_, i) => wishToCancel(context, 'many', `u${i + 1}`, i + 1)));
  for (let i = 0; i < 3; i++) startCancelling({ leaseMs: 1, leasedMs: 0 });
  await eventually(async () => expect(await wishes('many')).toEqual([]));
  expect((await context.ledger.stock('many'))[0]!.accounts).toEqual({
    shop: -1_200,
    available: 1_200,
    reserved: 0,
    sold: 0,
  });
});

test('an order that is written while its wish is carried out is not taken for one that was left alone: the wish stays until it is cancelled', async () => {
  await openedSale(context, 'meanwhile');
  await reserveTees(context, 'meanwhile', 1);
  const database = connectDatabase(context.databaseUrl);
  onTestFinished(() => database.$disconnect());
  // The order is committed right after the first statement, whichever that is.
  let statements = 0;
  const meanwhile = async <T>(statement: PromiseLike<T>): Promise<T> => {
    const done = await statement;
    if (++statements === 1) await writeLog(context, 'meanwhile');
    return done;
  };
  const racing = {
    $executeRaw: (...sql: Parameters<Database['$executeRaw']>) => meanwhile(database.$executeRaw(...sql)),
    saleOrder: {
      findMany: (query: Parameters<Database['saleOrder']['findMany']>[0]) =>
        meanwhile(database.saleOrder.findMany(query)),
    },
  } as unknown as Database;
  const missing = await cancelOrders(racing, [{ orderId: 'meanwhile-1', userId: 'u1' }]);
  expect(statements).toBe(2);
  expect([...missing]).toEqual(['meanwhile-1']);
  expect([...(await cancelOrders(database, [{ orderId: 'meanwhile-1', userId: 'u1' }]))]).toEqual([]);
  expect(await statuses('meanwhile')).toEqual(['cancelled']);
});
