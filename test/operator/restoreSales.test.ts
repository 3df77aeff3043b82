import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { compareSale } from '../../src/operator/restore/compareSale.ts';
import { orderLetterId } from '../../src/orders/deadLetter.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { follow, heldBy } from '../../src/store/sales.ts';
import { recordToldReservations } from '../../src/store/toldReservations.ts';
import { backupLedger, forgetSale } from '../maintenance/epochStage.ts';
import { openedSale, reservationLog, reserve, reserveTees, writeLog } from '../orders/saleStage.ts';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { signer, SIGNING_SECRET } from '../support/signer.ts';

let context: TestContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl, SIGNING_SECRET };
});
afterAll(() => context?.stop());
beforeEach(() => context.redis.flushall());

const run = (...words: string[]) => rain(words, env);
const counts = async (id: string) => (await compareSale(context, id))!.counts;
/** Redis follows an order, as the workers make it do. */
const followed = (saleId: string, userId: string, ordinal: number, status: 'paid' | 'created') =>
  follow(context.redis, saleId, [{ userId, ordinal, status, toStock: true }]);

test('[R5] the buyers of a sale that the database has lost are named by the check, and are on a list; the sale can be given up', async () => {
  await openedSale(context, 'lost');
  await reserveTees(context, 'lost', 2);
  await followed('lost', 'u2', 2, 'paid');
  await forgetSale(context, 'lost');
  const check = await run('restore', 'check');
  expect(check).toMatchObject({ exit: 1, stderr: '' });
  expect(check.stdout).toContain('lost  1 sale_not_in_book, 2 order_not_in_book');
  expect(check.stdout).toContain('Redis has the sale (open, 2 reservations), and the ledger does not know it');
  expect(check.stdout).toContain('lost-1 of u1, 1 tee, is reserved in Redis; the ledger does not know the sale');
  expect(check.stdout).toContain('lost-2 of u2, 1 tee, is paid in Redis; the ledger does not know the sale');
  expect(await run('restore', 'check', 'lost')).toMatchObject({ exit: 1 });
  expect(await run('sale', 'audit', '--all')).toMatchObject({
    exit: 1,
    stdout: expect.stringContaining('AUDIT FAILED: Redis has the sale lost, and the ledger does not know it') as string,
  });

  const sheet = (await run('sale', 'orders', 'lost', '--redis')).stdout.split('\n');
  expect(sheet[0]).toBe('orderId,userId,sku,quantity,price,amount,status,reservedAt,payBy,ref,signed');
  expect(sheet.slice(1, 3)).toEqual([
    expect.stringMatching(/^lost-1,u1,tee,1,19\.90,19\.90,reserved,.*,yes$/),
    expect.stringMatching(/^lost-2,u2,tee,1,19\.90,19\.90,paid,.*,yes$/),
  ]);
  const lines = (await run('sale', 'orders', 'lost', '--redis', '--json')).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { orderId: 'lost-1', userId: 'u1', status: 'reserved', signed: 'yes' },
    { orderId: 'lost-2', userId: 'u2', status: 'paid', signed: 'yes' },
  ]);
  expect(await run('sale', 'orders', 'lost', '--redis', '--user', 'u1')).toMatchObject({ exit: 2 });

  expect(await run('restore', 'apply', 'lost')).toMatchObject({
    exit: 1,
    stdout: expect.stringContaining('held it: the ledger does not know it') as string,
  });
  expect(await reserve(context, 'lost', [{ userId: 'eve', sku: 'tee', quantity: 1 }])).toMatchObject([{ code: '-7' }]);

  const { state, buyers } = saleKeys('lost');
  expect(await run('sale', 'write-off', 'lost', '--reason', 'no backup', '--dry-run')).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('lost would be closed in Redis, with 2 orders') as string,
  });
  expect(await run('sale', 'write-off', 'lost', '--reason', 'no backup')).toMatchObject({ exit: 0 });
  expect(await context.redis.hmget(state, 'state', 'held')).toEqual(['settled', null]);
  expect(await context.redis.pttl(buyers)).toBeGreaterThan(29 * 24 * 3_600_000);
  expect(await run('restore', 'check')).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('1 sale_written_off, 2 order_written_off') as string,
  });
  expect((await run('sale', 'orders', 'lost', '--redis')).stdout).toContain('lost-1,u1');
});

test('reservations that only gateways remember are on the list of a sale that both stores have lost', async () => {
  await openedSale(context, 'told');
  await reserveTees(context, 'told', 1);
  const log = await reservationLog(context, 'told');
  await forgetSale(context, 'told');
  await context.redis.flushall();
  expect(await run('restore', 'check', 'told')).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('id: ') as string,
  });
  await recordToldReservations(context.redis, signer, 'told', log);
  expect((await run('sale', 'orders', 'told', '--redis')).stdout).toMatch(/told-1,u1,tee,1,19\.90,19\.90,told,.*,yes/);
  expect(await counts('told')).toEqual({ sale_not_in_book: 1, order_not_in_book: 1 });
});

test('[R5] orders that are paid in Redis and waiting in an older database are named, and agree when the shop reports again', async () => {
  await openedSale(context, 'older');
  await reserveTees(context, 'older', 2);
  await writeLog(context, 'older');
  const bringBack = await backupLedger(context, 'older');
  await reserveTees(context, 'older', 1, 3);
  await writeLog(context, 'older');
  await context.ledger.stepOrder('older-1', 'paid');
  await followed('older', 'u1', 1, 'paid');
  await followed('older', 'u3', 3, 'created');
  await forgetSale(context, 'older');
  await bringBack();
  const check = await run('restore', 'check', 'older');
  expect(check.stdout).toContain('older-1 of u1, 1 tee, is created in the ledger, and paid in Redis');
  expect(check.stdout).toContain('older-3 of u3, 1 tee, is created in Redis, and the ledger has no order of it');
  expect(await counts('older')).toEqual({ order_ahead_in_redis: 1, order_not_in_book: 1 });
  await context.ledger.stepOrder('older-1', 'paid');
  await writeLog(context, 'older');
  expect(await counts('older')).toEqual({});
});

test('[R2] orders that an older Redis lacks are put back by apply, and those that it has with an older status follow', async () => {
  await openedSale(context, 'behind');
  await reserveTees(context, 'behind', 2);
  await writeLog(context, 'behind');
  await context.ledger.stepOrder('behind-1', 'paid');
  await context.ledger.markFollowed(await context.ledger.unfollowedOrders('behind', 10));
  const { state, stock, buyers, reservations } = saleKeys('behind');
  await context.redis
    .multi()
    .hset(state, 'made', 1)
    .hset(stock, 'tee:booked', 1)
    .lpop(reservations)
    .hdel(buyers, 'u2')
    .exec();
  expect(await counts('behind')).toEqual({ order_not_in_redis: 1, order_behind_in_redis: 1 });
  expect((await run('restore', 'check', 'behind')).stdout).toContain('to do: rain restore apply behind\n');
  const done = await run('restore', 'apply', 'behind');
  expect(done.stdout).toContain('put 1 orders back that Redis had lost');
  expect((await heldBy(context.redis, 'behind', 'u2')).map(({ ordinal }) => ordinal)).toEqual([2]);
  expect(await counts('behind')).toEqual({});
});

test('orders that the shop does not confirm get the status of an older database by a repair, which ends the hold', async () => {
  await openedSale(context, 'unconfirmed');
  await reserveTees(context, 'unconfirmed', 2);
  await writeLog(context, 'unconfirmed');
  await followed('unconfirmed', 'u1', 1, 'paid');
  const { state, stock } = saleKeys('unconfirmed');
  await context.redis.hset(state, 'held', 'ledger_behind');
  expect((await run('sale', 'audit', 'unconfirmed')).stdout).toContain(
    'Redis has later statuses of orders than the ledger, which is an older state, so a worker holds the sale',
  );
  expect(await run('sale', 'audit', 'unconfirmed', '--repair')).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('the hold was ended, and it sells again') as string,
  });
  expect(await counts('unconfirmed')).toEqual({});
  expect([await context.redis.hget(state, 'held'), await context.redis.hget(stock, 'tee:sold')]).toEqual([null, '0']);
});

test('a reservation whose dead letter was discarded is no difference, and holds no sale', async () => {
  await openedSale(context, 'discarded');
  await reserveTees(context, 'discarded', 1);
  const { reservations } = saleKeys('discarded');
  const [entry] = await context.redis.lrange(reservations, 0, -1);
  await follow(context.redis, 'discarded', [{ userId: 'u1', ordinal: 1, status: 'failed', toStock: true }]);
  expect(await counts('discarded')).toEqual({ order_ahead_in_redis: 1 });
  const place = { saleId: 'discarded', index: 0, entry: entry! };
  await context.ledger.discardLetter({
    letterId: orderLetterId(place),
    saleId: 'discarded',
    entry: entry!,
    deadReason: 'not_reserved',
    reason: 'seen',
    actor: 'ann',
  });
  expect(await counts('discarded')).toEqual({});
});
