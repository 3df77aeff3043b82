import { expect, test } from 'vitest';
import { repairSale } from '../../../src/operator/sale/repair.ts';
import { parseReservation, type Reservation } from '../../../src/sale/reservation.ts';
import type { SaleKeys } from '../../../src/store/saleKeys.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;

/** ann holds two tees with an order that is paid, bob one that waits, cem one without an order. */
async function sold(id: string): Promise<SaleKeys> {
  const keys = await stage.open(id);
  await stage.buy(id, { userId: 'ann', quantity: 2, ref: 'a' }, { userId: 'bob' });
  await stage.write(id);
  await stage.step(id, 1, 'paid');
  await stage.buy(id, { userId: 'cem' });
  expect(await stage.audit(id)).toMatchObject({
    problems: [],
    notices: [],
    report: { balanced: true, items: [{ sold: 2, reserved: 1, pending: 1, left: 6 }, {}] },
  });
  return keys;
}

async function entry(keys: SaleKeys, index: number, more: Partial<Reservation>): Promise<string> {
  const parsed = parseReservation((await context.redis.lindex(keys.reservations, -(index + 1)))!);
  if (!parsed.ok) throw new Error(parsed.reason);
  return JSON.stringify({ ...parsed.reservation, ...more });
}

test('a top-up that is booked and not in Redis yet is a notice, not a difference', async () => {
  await stage.open('cut');
  await context.ledger.addStock({ id: 'cut/1', saleId: 'cut', sku: 'mug', units: 2 }, 'test', 100);
  expect(await stage.audit('cut')).toMatchObject({
    problems: [],
    notices: [expect.stringMatching(/^the top-up cut\/1 of 2 mug is booked and not in Redis yet: repeat it/)],
    report: { balanced: true },
  });
});

test('the repair sends what has no order again, and puts raised and lowered counts right; a second one finds nothing', async () => {
  const keys = await sold('mend');
  await stage.buy('mend', { userId: 'dee' });
  await context.redis.hincrby(keys.stock, 'tee:booked', 5);
  await context.redis.hset(keys.stock, 'tee:sold', 0);
  const sent: { from: number; entries: readonly string[] }[] = [];
  const send = async (_: string, from: number, entries: readonly string[]) => {
    sent.push({ from, entries });
  };
  const foretold = await repairSale(context, 'mend', send, true);
  expect(foretold).toEqual({
    ok: true,
    reservations: 2,
    jobs: 1,
    complete: true,
    released: false,
    counts: [
      { field: 'tee:booked', found: '10', right: 5 },
      { field: 'tee:sold', found: '0', right: 2 },
    ],
  });
  expect([sent, (await stage.audit('mend')).report.balanced]).toEqual([[], false]);
  expect(await repairSale(context, 'mend', send)).toEqual(foretold);
  expect(sent).toEqual([{ from: 2, entries: (await context.redis.lrange(keys.reservations, 0, 1)).reverse() }]);
  await stage.write('mend');
  expect(await stage.audit('mend')).toMatchObject({
    problems: [],
    report: { balanced: true, items: [{ sold: 2, reserved: 3, pending: 0, left: 5 }, {}] },
  });
  expect(await repairSale(context, 'mend', send)).toMatchObject({ ok: true, reservations: 0, jobs: 0, counts: [] });
  expect((await context.ledger.actions('mend')).filter(({ verb }) => verb === 'repair')).toHaveLength(1);
});

test('the repair changes no count while anything else speaks against the log', async () => {
  const keys = await sold('wary');
  await context.redis.hincrby(keys.stock, 'tee:booked', 5);
  await context.redis.lpush(keys.reservations, await entry(keys, 0, { reservationId: 'wary-4', userId: 'thief' }));
  const sent: string[] = [];
  expect(
    await repairSale(context, 'wary', async (_, __, entries) => {
      sent.push(...entries);
    }),
  ).toMatchObject({ ok: true, reservations: 1, counts: [] });
  expect(sent).toEqual([expect.stringContaining('"userId":"cem"')]);
  expect(await context.redis.hget(keys.stock, 'tee:booked')).toBe('9');
  expect(await repairSale(context, 'nowhere', async () => {})).toEqual({
    ok: false,
    refusals: [{ field: 'id', reason: 'there is no sale nowhere' }],
  });
});
