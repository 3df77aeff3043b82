import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { examineShop } from '../../src/operator/doctor/shop.ts';
import { endedInLedger, endedOrders } from '../../src/orders/endedOrders.ts';
import { endedJobId, openEndedQueue, type EndedQueue } from '../../src/orders/endedQueue.ts';
import { startEndedWorker } from '../../src/orders/endedWorker.ts';
import { startFollower } from '../../src/orders/follower.ts';
import { orderServices } from '../../src/orders/orderServices.ts';
import { webhookOrders } from '../../src/orders/webhookOrders.ts';
import { connectRedis, untilReady, type RedisClient } from '../../src/platform/redis/connect.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import type { NewSale } from '../../src/ledger/sales.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { SECRET } from '../credit/wallet.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { signer } from '../support/signer.ts';
import { openOrderRoom, type OrderRoom } from './room.ts';
import { reservationIds } from './saleFigures.ts';
import { startShop, type Shop, type ShopBehaviour } from './shop.ts';

let room: OrderRoom;
let shop: Shop;
let connection: RedisClient;
let queue: EndedQueue;
const working: { close(withinMs: number): Promise<unknown> }[] = [];
const silent = createLog('ended', 'silent');
beforeAll(async () => {
  [room, shop] = await Promise.all([openOrderRoom(), startShop()]);
  connection = connectRedis(room.redisUrl, { purpose: 'queue', onError: () => {} });
  await untilReady(connection);
  queue = openEndedQueue({ connection, prefix: QUEUE_PREFIX, onError: () => {} });
});
afterEach(async () => {
  await Promise.all(working.splice(0).map((one) => one.close(2_000)));
});
afterAll(async () => {
  await queue?.close();
  connection?.disconnect();
  await shop?.stop();
  await room?.stop();
});

/** Follows the ledger, and tells the shop. */
function work({ log = silent, batchMax = 2, timeoutMs = 300, endedOf = endedInLedger(room.ledger) } = {}) {
  const service = orderServices({
    ledger: room.ledger,
    onElsewhere: () => {},
    shop: webhookOrders({
      url: shop.url,
      secret: SECRET,
      timeoutMs,
      batchMax,
      ordersPerSecond: 10_000,
      requestsMax: 8,
    }),
  });
  const worker = startEndedWorker({
    connection,
    prefix: QUEUE_PREFIX,
    onError: () => {},
    tell: service.tell!,
    endedOf,
    log,
    backoff: { firstDelayMs: 20, delayMsMax: 80 },
  });
  const follower = startFollower({
    redis: room.redis,
    ledger: room.ledger,
    signer,
    log: silent,
    everyMs: 10,
    onFollowed: endedOrders({ queue, ledger: room.ledger, log: silent }).add,
  });
  working.push(worker, follower);
  return worker;
}
/** So many orders of a sale of the shop's. @returns their ids */
async function ordered(saleId: string, buyers: number, differing: Partial<NewSale> = {}): Promise<string[]> {
  await room.openSale(saleId, {
    orderService: 'webhook',
    items: [{ sku: 'tee', units: 100, price: '19.90' }],
    ...differing,
  });
  await room.buy(
    saleId,
    Array.from({ length: buyers }, (_, i) => ({ userId: `${saleId}-u${i + 1}`, sku: 'tee', quantity: 1 })),
  );
  await room.ledger.writeOrders(await room.reservations(saleId));
  return Array.from({ length: buyers }, (_, i) => `${saleId}-${i + 1}`);
}
const endedOf = (saleId: string) =>
  [...shop.ended.values()].filter((one) => one.saleId === saleId).sort((a, b) => (a.orderId < b.orderId ? -1 : 1));
const untilTold = () =>
  eventually(async () => expect(await queue.getJobCountByTypes('waiting', 'active', 'delayed')).toBe(0), {
    timeoutMs: 15_000,
  });

test('a shop is told of each order that timed out, was cancelled, failed or was refunded by hand, signed; of no other', async () => {
  const ids = await ordered('told', 6);
  work();
  await room.ledger.stepOrder(ids[0]!, 'timed_out');
  await room.ledger.cancelOrders([{ orderId: ids[1]!, userId: 'told-u2' }]);
  await room.ledger.stepOrderByHand(ids[2]!, 'cancelled', { actor: 'opal', reason: 'called' });
  await room.ledger.stepOrder(ids[3]!, 'paid');
  await room.ledger.stepOrderByHand(ids[3]!, 'refunded', { actor: 'opal', reason: 'broken' });
  await room.ledger.stepOrder(ids[4]!, 'paid');
  await eventually(() => expect(endedOf('told')).toHaveLength(4));
  await untilTold();
  const end = (n: number, status: string) => ({ orderId: `told-${n}`, saleId: 'told', userId: `told-u${n}`, status });
  expect(endedOf('told')).toEqual([end(1, 'timed_out'), end(2, 'cancelled'), end(3, 'cancelled'), end(4, 'refunded')]);
  expect(shop.seen.unsigned).toBe(0);
});

test('[R14] the shop hears nothing of an order that has not ended in the ledger, whatever a job in Redis says', async () => {
  const [open, paid, ended] = (await ordered('forged', 3)) as [string, string, string];
  const [other] = (await ordered('forged-ours', 1, { orderService: 'builtin' })) as [string];
  await room.ledger.stepOrder(paid, 'paid');
  await room.ledger.stepOrder(other, 'timed_out');
  await room.ledger.stepOrder(ended, 'timed_out');
  const { log, heard } = listeningLog();
  work({ log });
  const job = (saleId: string, orders: string[]) =>
    queue.add('ended', {
      saleId,
      ended: orders.map((id) => ({ id, userId: 'mallory', status: 'refunded' as const })),
    });
  await job('forged', [open, paid, 'forged-99', ended, other]);
  await job('forged-ours', [other]);
  await job('nowhere', ['nowhere-1']);
  await untilTold();
  await eventually(() => expect(endedOf('forged')).toHaveLength(1));
  expect(endedOf('forged')).toEqual([{ orderId: ended, saleId: 'forged', userId: 'forged-u3', status: 'timed_out' }]);
  expect([...endedOf('forged-ours'), ...endedOf('nowhere')]).toEqual([]);
  expect(heard.filter(({ level }) => level === 'error').flatMap(({ orderIds }) => orderIds as string[])).toEqual([
    open,
    paid,
    'forged-99',
    other,
    other,
    'nowhere-1',
  ]);
});

test.each<[string, (key: string) => Promise<unknown>]>([
  ['only the key', (key) => room.redis.hset(key, 'data', '{}')],
  ['a key of another type', (key) => room.redis.set(key, 'x')],
  [
    'a job with other orders',
    async (key) => {
      const jobId = key.slice(queue.toKey('').length);
      await queue.add(
        'ended',
        { saleId: 'else', ended: [{ id: 'else-1', userId: 'u', status: 'failed' }] },
        { jobId, delay: 600_000 },
      );
    },
  ],
])('[R14] the shop is told although somebody has written %s in the place of its job', async (what, harm) => {
  const saleId = `place-${what.length}`;
  const [id] = (await ordered(saleId, 1)) as [string];
  const jobId = endedJobId(saleId, [{ id, userId: `${saleId}-u1`, status: 'timed_out' }]);
  await harm(queue.toKey(jobId));
  work();
  await room.ledger.stepOrder(id, 'timed_out');
  await eventually(() => expect(endedOf(saleId)).toHaveLength(1));
  await untilTold();
});

test('a shop that lies, stalls and contradicts itself hears of each end until it has named it, and changes no order', async () => {
  const treatments: ShopBehaviour[] = [
    'hang',
    'close',
    'takeThenCut',
    'takeThenClose',
    'takeTwice',
    'takeThenContradict',
    'lie',
    'lieAboutOthers',
    'nonsense',
    'redirect',
    'retry',
    { status: 503 },
    { status: 401 },
    { status: 404 },
  ];
  const ids = await ordered('liar', treatments.length + 1);
  treatments.forEach((one, i) => shop.plan(`liar-u${i + 1}`, [one]));
  // It knows better, and is asked no more; the ledger does not care.
  shop.plan(`liar-u${ids.length}`, ['refuse'], true);
  const { log, heard } = listeningLog();
  work({ log, batchMax: 1 });
  await Promise.all(ids.map((id) => room.ledger.stepOrder(id, 'timed_out')));
  await eventually(
    () => expect(endedOf('liar').map(({ orderId }) => orderId)).toEqual(reservationIds('liar', 1, ids.length)),
    { timeoutMs: 15_000 },
  );
  await untilTold();
  expect((await room.ledger.orders({ saleId: 'liar' })).every(({ status }) => status === 'timed_out')).toBe(true);
  expect(await room.letters('liar')).toEqual([]);
  expect(heard).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'the shop is not told yet that orders have ended, will try again',
      saleId: 'liar',
    }) as object,
  );
});

test('what the shop has named is not told again with the rest', async () => {
  const ids = await ordered('rest', 4);
  shop.plan('rest-u3', ['retry', 'retry']);
  await Promise.all(ids.map((id) => room.ledger.stepOrder(id, 'cancelled')));
  const worker = work({ batchMax: 1 });
  await eventually(() => expect(endedOf('rest')).toHaveLength(4));
  await untilTold();
  const times = (id: string) => shop.toldEnded.flat().filter((one) => one === id).length;
  expect(ids.map(times)).toEqual([1, 1, 3, 1]);
  expect(worker.counters).toEqual({ told: 4, untold: 0 });
});

test('[R10] orders that the shop can never read keep none of the others waiting', async () => {
  const ids = await ordered('poison', 8);
  for (const n of [1, 2, 3, 4, 5]) shop.plan(`poison-u${n}`, [{ status: 500 }], true);
  await Promise.all(ids.map((id) => room.ledger.stepOrder(id, 'cancelled')));
  work({ batchMax: 1 });
  await eventually(
    () => expect(endedOf('poison').map(({ orderId }) => orderId)).toEqual(['poison-6', 'poison-7', 'poison-8']),
    { timeoutMs: 15_000 },
  );
  for (const n of [1, 2, 3, 4, 5]) shop.plan(`poison-u${n}`, []);
  await untilTold();
  expect(endedOf('poison')).toHaveLength(8);
});

test('nobody is told of the orders of other sales, and of none of a rehearsal', async () => {
  for (const [saleId, differing] of [
    ['ours', { orderService: 'builtin' }],
    ['practice', { rehearsal: true }],
  ] as const) {
    const [id] = await ordered(saleId, 1, differing);
    await room.ledger.stepOrder(id!, 'timed_out');
  }
  work();
  for (const saleId of ['ours', 'practice'])
    await eventually(async () => expect((await room.ledger.orderCounts(saleId)).unfollowed).toBe(0));
  expect(await queue.getJobCountByTypes('waiting', 'active', 'delayed')).toBe(0);
  expect([...endedOf('ours'), ...endedOf('practice')]).toEqual([]);
});

/** For jobs that a test writes by itself: their orders count as ended. */
const anyEnded: ReturnType<typeof endedInLedger> = async (saleId, ids) =>
  ids.map((id) => oneEnd(saleId, Number(id.slice(saleId.length + 1))));

const oneEnd = (saleId: string, n: number) => ({
  id: `${saleId}-${n}`,
  userId: `${saleId}-u${n}`,
  status: 'timed_out' as const,
});

test('a shop that is mute is told of all ends later, however few each round of the follower adds: they are merged', async () => {
  const { log, heard } = listeningLog();
  const numbers = Array.from({ length: 60 }, (_, i) => i + 1);
  await ordered('mute', 60);
  for (const n of numbers) shop.plan(`mute-u${n}`, [{ status: 500 }], true);
  const worker = work({ batchMax: 500, endedOf: anyEnded });
  const ended = endedOrders({ queue, ledger: room.ledger, log, jobsMax: 6 });
  for (const n of numbers) await ended.add('mute', [oneEnd('mute', n)]);
  expect(await queue.getJobCountByTypes('waiting', 'active', 'delayed')).toBeLessThanOrEqual(6);
  expect([ended.counters.untold, worker.counters.untold, heard]).toEqual([0, 0, []]);
  for (const n of numbers) shop.plan(`mute-u${n}`, []);
  await eventually(() => expect(endedOf('mute')).toHaveLength(60), { timeoutMs: 15_000 });
  await untilTold();
});

test('a merged job waits since its oldest order has ended, and the same end waits once', async () => {
  await ordered('merged', 1);
  const ended = endedOrders({ queue, ledger: room.ledger, log: silent, jobsMax: 3 });
  for (const n of [1, 1, 2, 3, 4]) await ended.add('merged', [oneEnd('merged', n)]);
  const jobs = await queue.getJobs(['waiting']);
  expect(jobs.map(({ data }) => data.ended.length).sort()).toEqual([1, 3]);
  expect(jobs.find(({ data }) => data.ended.length === 3)!.timestamp).toBeLessThanOrEqual(
    jobs.find(({ data }) => data.ended.length === 1)!.timestamp,
  );
  await queue.drain(true);
});

test('[R10] beyond so many full jobs an end is told no more, is counted, and the log names sale, orders and reason', async () => {
  const { log, heard } = listeningLog();
  await ordered('full', 1);
  const ended = endedOrders({ queue, ledger: room.ledger, log, jobsMax: 2 });
  for (const first of [1, 301])
    await ended.add(
      'full',
      Array.from({ length: 300 }, (_, i) => oneEnd('full', first + i)),
    );
  await ended.add('full', [oneEnd('full', 601), oneEnd('full', 602)]);
  expect(await queue.getJobCountByTypes('waiting', 'active', 'delayed')).toBe(2);
  expect(ended.counters).toEqual({ untold: 2 });
  expect(heard).toMatchObject([
    {
      level: 'error',
      saleId: 'full',
      orders: 2,
      orderIds: ['full-601', 'full-602'],
      reason: '2 jobs of ended orders wait already',
      msg: 'the shop was not told that orders have ended, and is told no more',
    },
  ]);
  await queue.drain(true);
});

test('[R10] an end that the shop has not named in all tries is told no more, and the log names each order', async () => {
  const { log, heard } = listeningLog();
  const ids = await ordered('late', 7);
  for (let n = 1; n <= 7; n++) shop.plan(`late-u${n}`, [{ status: 500 }], true);
  await queue.add(
    'ended',
    { saleId: 'late', ended: ids.map((id, i) => ({ id, userId: `late-u${i + 1}`, status: 'timed_out' as const })) },
    { attempts: 2 },
  );
  const worker = work({ log, endedOf: anyEnded });
  await eventually(() => expect(worker.counters).toEqual({ told: 0, untold: 7 }));
  const last = heard.find(({ level }) => level === 'error') as
    | { saleId?: string; orderIds?: string[]; msg?: string }
    | undefined;
  expect(last).toMatchObject({
    saleId: 'late',
    msg: 'the shop was not told that orders have ended, and is told no more',
  });
  expect(last?.orderIds?.toSorted()).toEqual(ids);
});

test('ends that the shop does not confirm for longer than a minute are a warning of the doctor, also among new ones', async () => {
  const examine = async () =>
    (await examineShop({ redis: room.redis, ledger: room.ledger, orderService: 'webhook' })).filter(
      ({ name }) => name === 'ended orders',
    );
  const ended = endedOrders({ queue, ledger: room.ledger, log: silent });
  await ordered('ill', 1);
  await ended.add('ill', [oneEnd('ill', 1)]);
  expect(await examine()).toEqual([]);
  await queue.add(
    'ended',
    { saleId: 'ill', ended: [oneEnd('ill', 2)] },
    { timestamp: Date.now() - 90_000, delay: 150_000 },
  );
  expect(await examine()).toMatchObject([
    {
      verdict: 'warning',
      found: expect.stringMatching(
        /^2 job\(s\) of orders that have ended, and that the shop has not confirmed, since \S+Z$/,
      ) as string,
    },
  ]);
  await queue.drain(true);
});
