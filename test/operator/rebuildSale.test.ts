import { beforeEach, expect, test } from 'vitest';
import { applySaleRestore } from '../../src/operator/restore/applySale.ts';
import { compareSale } from '../../src/operator/restore/compareSale.ts';
import { resumeSale, endSale } from '../../src/operator/sale/transitions.ts';
import { topUpSale } from '../../src/operator/sale/topUp.ts';
import { heldBy, readSale } from '../../src/store/sales.ts';
import { recordToldReservations } from '../../src/store/toldReservations.ts';
import { backupRedis } from '../maintenance/epochStage.ts';
import { reservationLog } from '../orders/saleStage.ts';
import { rain } from '../support/call.ts';
import { signer, SIGNING_SECRET } from '../support/signer.ts';
import { openSaleStage } from './sale/saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;
beforeEach(() => context.redis.flushall());

const apply = (id: string, reason?: string) => applySaleRestore(context, id, reason === undefined ? {} : { reason });
const statusOf = async (id: string, user: string) =>
  (await heldBy(context.redis, id, user)).map(({ status }) => status);
const codes = async (id: string, ...users: string[]) =>
  (await stage.buy(id, ...users.map((userId) => ({ userId })))).map(({ code }) => code);

/** Ten tees, all sold: u1 has paid, u2 has cancelled and u3 was refunded, whose units others have; two mugs more. */
async function soldOut(id: string): Promise<void> {
  await stage.open(id);
  expect(await topUpSale(context, id, { id: `${id}-more`, sku: 'mug', units: 2 })).toMatchObject({ ok: true });
  await stage.buy(id, ...Array.from({ length: 10 }, (_, i) => ({ userId: `u${i + 1}` })));
  await stage.write(id);
  await stage.step(id, 1, 'paid');
  await stage.step(id, 2, 'cancelled');
  await stage.step(id, 3, 'paid');
  await stage.step(id, 3, 'refunded');
  expect(await codes(id, 'u11', 'u12')).toEqual(['0', '0']);
  await stage.write(id);
}

test('[R2][R8] a sale that Redis has lost is rebuilt from the ledger, with its orders and top-ups, and sells no unit twice', async () => {
  await soldOut('burned');
  const before = (await readSale(context.redis, 'burned'))!.items;
  await context.redis.flushall();
  const env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl, SIGNING_SECRET };
  expect((await rain(['restore', 'check', 'burned'], env)).stdout).toContain(
    'to do: rain restore apply burned --reason "what nobody knows of may be missing"',
  );
  expect(await apply('burned')).toMatchObject({ ok: false, refusals: [{ field: 'reason' }] });
  expect(await context.redis.dbsize()).toBe(0);
  const words = ['restore', 'apply', 'burned', '--reason', 'the disk burned'];
  expect((await rain([...words, '--dry-run'], env)).stdout).toContain('rebuilt it with 12 orders of the ledger');
  expect((await rain(words, env)).exit).toBe(0);
  expect((await readSale(context.redis, 'burned'))!.items).toEqual(before);
  expect(await codes('burned', 'u1', 'eve')).toEqual(['1', '-4']);
  expect(await resumeSale(context, 'burned')).toMatchObject({ ok: true });
  expect(await codes('burned', 'u1', 'eve', 'u11')).toEqual(['1', '-12', '1']);
  expect([await statusOf('burned', 'u2'), await statusOf('burned', 'u3')]).toEqual([['cancelled'], ['refunded']]);
  expect(await stage.audit('burned')).toMatchObject({ report: { balanced: true }, problems: [], tampering: [] });
  expect((await stage.buy('burned', { userId: 'eve', sku: 'mug', quantity: 3 }))[0]).toMatchObject({
    code: '0',
    reservationId: 'burned-13',
  });
});

test('a rebuild that was cut goes on, and brings back what gateways have told', async () => {
  await soldOut('cut');
  expect((await stage.buy('cut', { userId: 'eve', sku: 'mug' }))[0]!.code).toBe('0');
  const told = (await reservationLog(context, 'cut')).filter(({ userId }) => userId === 'eve');
  await context.redis.flushall();
  let reads = 0;
  const ledger = {
    ...context.ledger,
    numberedOrders: (...args: Parameters<typeof context.ledger.numberedOrders>) =>
      ++reads > 1 ? context.ledger.numberedOrders(...args) : Promise.reject(new Error('cut')),
  };
  await expect(applySaleRestore({ ...context, ledger }, 'cut', { reason: 'burned' })).rejects.toThrow('cut');
  expect((await compareSale(context, 'cut'))!.counts).toMatchObject({ not_loaded: 1 });
  expect(await codes('cut', 'mallory')).toEqual(['-2']);
  await recordToldReservations(context.redis, signer, 'cut', told);
  expect(await apply('cut', 'burned')).toMatchObject({ ok: true, left: { counts: { order_not_in_book: 1 } } });
  expect(await statusOf('cut', 'eve')).toEqual(['reserved']);
  await stage.write('cut');
  await resumeSale(context, 'cut');
  expect((await stage.audit('cut')).report.balanced).toBe(true);
});

test('[R2][R8] a reservation that nobody remembers leaves a gap: its number is never given again, and its units are sold', async () => {
  await soldOut('gap');
  await stage.buy('gap', { userId: 'eve', sku: 'mug' }, { userId: 'zoe', sku: 'mug' });
  const log = await reservationLog(context, 'gap');
  await context.ledger.writeOrders(log.filter(({ userId }) => userId === 'zoe'));
  await context.redis.flushall();
  expect(await apply('gap', 'burned')).toMatchObject({ ok: true, left: { counts: {} } });
  await resumeSale(context, 'gap');
  expect((await stage.buy('gap', { userId: 'eve', sku: 'mug' }))[0]).toMatchObject({
    code: '0',
    reservationId: 'gap-15',
  });
  await stage.write('gap');
  expect(await stage.audit('gap')).toMatchObject({ report: { balanced: true }, problems: [], tampering: [] });
});

test('an older Redis that has the sale as a draft is brought up to the ledger; one that has not opened is only loaded again', async () => {
  await stage.open('early', { opensAt: Date.now() + 60_000 });
  await context.redis.flushall();
  expect(await apply('early')).toMatchObject({ ok: true, did: ['loaded it again: it had not opened'] });

  const { state } = await stage.open('drafted');
  await context.redis.hset(state, 'state', 'draft');
  const putBack = await backupRedis(context.redis);
  await context.redis.hset(state, 'state', 'loaded');
  await stage.buy('drafted', { userId: 'ann' });
  await stage.write('drafted');
  await putBack();
  expect(await apply('drafted', 'an older backup')).toMatchObject({ ok: true, left: { counts: {} } });
  await resumeSale(context, 'drafted');
  expect(await codes('drafted', 'ann')).toEqual(['1']);
});

test('[R12] a lost sale that is over is not rebuilt: it is given up, and its orders stay', async () => {
  await soldOut('over');
  await endSale(context, 'over');
  await context.redis.flushall();
  expect(await apply('over', 'burned')).toMatchObject({
    ok: false,
    refusals: [{ field: 'id', reason: expect.stringContaining('rain sale write-off over') as string }],
  });
  expect(await context.redis.dbsize()).toBe(0);
});
