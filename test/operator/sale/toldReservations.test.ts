import { expect, onTestFinished, test } from 'vitest';
import { settleSale } from '../../../src/maintenance/settleSale.ts';
import { repairSale } from '../../../src/operator/sale/repair.ts';
import { endSale } from '../../../src/operator/sale/transitions.ts';
import { writeOffSale } from '../../../src/operator/sale/writeOff.ts';
import { connectRedis, untilReady } from '../../../src/platform/redis/connect.ts';
import type { Reservation } from '../../../src/sale/reservation.ts';
import { EVENTS_CHANNEL } from '../../../src/store/keys.ts';
import { parseEvent, type ToldOrder } from '../../../src/store/events.ts';
import { rebook } from '../../../src/store/rebook.ts';
import { heldBy, readSale } from '../../../src/store/sales.ts';
import { announceRefused } from '../../../src/orders/announce.ts';
import { findLostReservations, resolveLostReservations } from '../../../src/operator/sale/toldReservations.ts';
import { readToldReservations, recordToldReservations } from '../../../src/store/toldReservations.ts';
import { eventually } from '../../support/eventually.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;
const ITEMS = [
  { sku: 'tee', units: 1, price: '19.90' },
  { sku: 'mug', units: 5, price: '9.90' },
];

/** The messages to gateways about orders from now on. */
async function listen(): Promise<ToldOrder[]> {
  const heard: ToldOrder[] = [];
  const subscriber = connectRedis(context.redisUrl, { purpose: 'subscriber', onError: () => {} });
  onTestFinished(() => subscriber.disconnect());
  await untilReady(subscriber);
  subscriber.on('message', (_channel: string, frame: string) => {
    const event = parseEvent(frame);
    if (event?.type === 'orders') heard.push(...event.orders);
  });
  await subscriber.subscribe(EVENTS_CHANNEL);
  return heard;
}

function told(saleId: string, n: number, userId: string, more: Partial<Reservation> = {}): Reservation {
  const at = Date.now();
  return {
    saleId,
    reservationId: `${saleId}-${n}`,
    userId,
    sku: 'tee',
    quantity: 1,
    price: '19.90',
    at: String(at),
    payBy: String(at + 60_000),
    ...more,
  };
}

test('told reservations that Redis has lost are named, hold the settlement up, and end: put back, or failed', async () => {
  const keys = await stage.open('told', { items: ITEMS });
  await stage.buy('told', { userId: 'bob' });
  await stage.write('told');
  await stage.step('told', 1, 'paid');
  // Redis had given number and unit to ann before, and ann's mug is lost, too; of bob's there is an order.
  await recordToldReservations(context.redis, context.signer, 'told', [
    told('told', 1, 'ann'),
    told('told', 1, 'bob'),
    told('told', 2, 'ann', { sku: 'mug', price: '9.90', ref: 'm' }),
  ]);
  const written = (await context.redis.hkeys(keys.told)).find(
    (field) => field.includes('told-1') && field.includes('ann'),
  )!;
  await context.redis.hset(
    keys.told,
    written.replaceAll('told-1', 'told-7'),
    '',
    'told-7 thief',
    written.replaceAll('told-1', 'told-7'),
  );
  expect(await readToldReservations(context.redis, context.signer, 'told')).toHaveLength(3);
  const audit = await stage.audit('told');
  expect(audit).toMatchObject({
    tampering: [],
    lost: [
      { userId: 'ann', sku: 'tee' },
      { userId: 'ann', sku: 'mug' },
    ],
    report: { balanced: false },
  });
  expect(audit.problems[0]).toBe(
    'ann was told the reservation told-1, 1 tee, and neither Redis nor the ledger has it: Redis has lost it',
  );
  const heard = await listen();
  const sent: string[] = [];
  expect(await repairSale(context, 'told', async (_, __, entries) => void sent.push(...entries))).toMatchObject({
    ok: true,
  });
  await eventually(() =>
    expect(heard).toEqual([
      {
        userId: 'ann',
        reservationId: 'told-1',
        status: 'failed',
        mark: context.signer.orderMark({ userId: 'ann', reservationId: 'told-1', status: 'failed' }),
      },
    ]),
  );
  expect([sent.length, await context.ledger.refusalsAmong([{ reservationId: 'told-1', userId: 'ann' }])]).toEqual([
    1,
    [expect.objectContaining({ reason: 'lost' })],
  ]);
  await stage.write('told');
  expect(await stage.audit('told')).toMatchObject({ problems: [], lost: [], report: { balanced: true, orders: 2 } });
  expect((await context.ledger.order('told-2'))!).toMatchObject({ userId: 'ann', sku: 'mug', ref: 'm' });
});

test('a sale with a told reservation that is nowhere is not settled silently; a write-off tells its buyer', async () => {
  const keys = await stage.open('ends', { items: ITEMS });
  await stage.buy('ends', { userId: 'bob' });
  await stage.write('ends');
  await stage.step('ends', 1, 'paid');
  await endSale(context, 'ends');
  await recordToldReservations(context.redis, context.signer, 'ends', [told('ends', 1, 'ann')]);
  expect(await settleSale(context, 'ends', { title: 'ends' }, {})).toMatchObject({
    outcome: 'not_balanced',
    problems: [expect.stringContaining('ann was told the reservation ends-1')],
  });
  const heard = await listen();
  expect(await writeOffSale(context, 'ends', 'lost')).toMatchObject({ ok: true });
  await eventually(() => expect(heard.map(({ userId, status }) => [userId, status])).toEqual([['ann', 'failed']]));
  expect(await settleSale(context, 'ends', { title: 'ends' }, {})).toEqual({ outcome: 'settled' });
  expect(await context.redis.hget(keys.state, 'state')).toBe('settled');
});

/** The answer to a buyer who comes back later: the entries in Redis, as number, status and ref. */
const later = async (saleId: string, userId: string) =>
  (await heldBy(context.redis, saleId, userId)).map(({ ordinal, status, ref }) => [ordinal, status, ref]);

/** As a worker does. */
const resolve = async (saleId: string) =>
  resolveLostReservations(context, saleId, await findLostReservations(context, saleId));

test('a buyer who is away when his reservation turns out to be lost hears "failed" when he comes back; nothing is accused, counted or sold for it', async () => {
  const keys = await stage.open('away', { items: ITEMS });
  await stage.buy('away', { userId: 'bob' });
  await stage.write('away');
  // Redis had drawn four numbers before it lost them.
  await recordToldReservations(context.redis, context.signer, 'away', [
    told('away', 1, 'ann', { ref: 'a' }),
    told('away', 4, 'ann', { ref: 'b' }),
  ]);
  expect(await resolve('away')).toEqual({ putBack: 0, refused: 2 });
  expect(await later('away', 'ann')).toEqual([
    [1, 'failed', 'a'],
    [4, 'failed', 'b'],
  ]);
  expect(await stage.buy('away', { userId: 'ann', ref: 'a' })).toMatchObject([
    { code: '1', reservationId: 'away-1', status: 'failed' },
  ]);
  expect(await readSale(context.redis, 'away')).toMatchObject({ logged: 1, items: [{ booked: 1 }, { booked: 0 }] });
  expect(await stage.audit('away')).toMatchObject({
    problems: [],
    lost: [],
    wrongCounts: [],
    report: { balanced: true },
  });
  expect(await resolve('away')).toEqual({ putBack: 0, refused: 0 });
  // The ledger would refuse it once more.
  expect(await stage.buy('away', { userId: 'ann', sku: 'mug', ref: 'm' })).toMatchObject([
    { code: '0', reservationId: 'away-5' },
  ]);
  await stage.write('away');
  expect(await stage.audit('away')).toMatchObject({ problems: [], report: { balanced: true, orders: 2 } });
  // An entry that the ledger has not refused is still accused.
  await context.redis.hset(keys.buyers, 'eve', (await context.redis.hget(keys.buyers, 'ann'))!.split(';')[0]! + ';');
  expect((await stage.audit('away')).tampering.map(({ kind }) => kind)).toContain('unlogged');
});

test('cut between the refusal and the word to its buyer, it is told by the next audit', async () => {
  await stage.open('cut', { items: ITEMS });
  await stage.buy('cut', { userId: 'bob' });
  await stage.write('cut');
  await recordToldReservations(context.redis, context.signer, 'cut', [told('cut', 1, 'ann')]);
  await context.ledger.refuseReservations([
    { saleId: 'cut', reservationId: 'cut-1', userId: 'ann', sku: 'tee', quantity: 1, reason: 'lost', detail: 'lost' },
  ]);
  expect(await stage.audit('cut')).toMatchObject({ lost: [{ reservationId: 'cut-1' }], report: { balanced: false } });
  await resolve('cut');
  expect(await later('cut', 'ann')).toEqual([[1, 'failed', undefined]]);
  expect(await stage.audit('cut')).toMatchObject({ problems: [], report: { balanced: true } });
});

test('a lost reservation that is put back after its refusal gives its unit back', async () => {
  await stage.open('late', { items: ITEMS });
  const one = told('late', 3, 'ann');
  const refused = await context.ledger.refuseReservations([
    { saleId: 'late', reservationId: 'late-3', userId: 'ann', sku: 'tee', quantity: 1, reason: 'lost', detail: 'lost' },
  ]);
  // A gateway that was away puts it back, and the worker meets the refusal.
  expect(await rebook(context.redis, context.signer, 'late', [one])).toEqual(['put_back']);
  await announceRefused(context.redis, context.signer, 'late', refused);
  expect(await later('late', 'ann')).toEqual([[3, 'failed', undefined]]);
  expect(await stage.buy('late', { userId: 'bob' })).toMatchObject([{ code: '0', reservationId: 'late-4' }]);
  expect(await stage.audit('late')).toMatchObject({
    problems: [],
    wrongCounts: [],
    pending: [{ ordinal: 4 }],
    report: { balanced: true },
  });
});

test('a purchase that its buyer has made again with its ref is not made twice: the lost one fails, and the ref names the other', async () => {
  await stage.open('twice', { items: ITEMS });
  await stage.buy('twice', { userId: 'ann', sku: 'mug', ref: 'm' });
  await recordToldReservations(context.redis, context.signer, 'twice', [
    told('twice', 2, 'ann', { sku: 'mug', price: '9.90', ref: 'm' }),
  ]);
  expect(await resolve('twice')).toEqual({ putBack: 0, refused: 1 });
  expect(await later('twice', 'ann')).toEqual([
    [1, 'reserved', 'm'],
    [2, 'failed', undefined],
  ]);
  expect(await stage.buy('twice', { userId: 'ann', sku: 'mug', ref: 'm' })).toMatchObject([
    { code: '1', reservationId: 'twice-1', status: 'reserved' },
  ]);
  await stage.write('twice');
  expect(await stage.audit('twice')).toMatchObject({ problems: [], report: { balanced: true, orders: 1 } });
});
