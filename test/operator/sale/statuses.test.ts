import { expect, test } from 'vitest';
import { announceRefused } from '../../../src/orders/announce.ts';
import { repairSale } from '../../../src/operator/sale/repair.ts';
import type { SaleKeys } from '../../../src/store/saleKeys.ts';
import type { NewRefusal } from '../../../src/ledger/refusals.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;
const sendNothing = async () => {};

/**
 * ann has an order, bob one that is paid, cem a reservation without an order, dee one that the ledger has refused, and
 * was told so.
 */
async function told(id: string): Promise<SaleKeys> {
  const keys = await stage.open(id);
  await stage.buy(id, { userId: 'ann' }, { userId: 'bob' });
  await stage.write(id);
  await stage.step(id, 2, 'paid');
  await stage.buy(id, { userId: 'cem' }, { userId: 'dee' });
  await announceRefused(context.redis, context.signer, id, await context.ledger.refuseReservations([refusal(id, 4)]));
  expect(await stage.audit(id)).toMatchObject({
    problems: [],
    refused: 1,
    untold: [],
    untrue: [],
    report: { balanced: true, items: [{ sold: 1, reserved: 1, pending: 1, left: 7 }, {}] },
  });
  return keys;
}

const refusal = (id: string, n: number, more: Partial<NewRefusal> = {}): NewRefusal => ({
  saleId: id,
  reservationId: `${id}-${n}`,
  userId: 'dee',
  sku: 'tee',
  quantity: 1,
  reason: 'time',
  detail: 'too late',
  ...more,
});

async function say({ buyers }: SaleKeys, userId: string, from: RegExp, to: string): Promise<void> {
  const text = (await context.redis.hget(buyers, userId))!;
  expect(text).toMatch(from);
  await context.redis.hset(buyers, userId, text.replace(from, to));
}

const held = async ({ buyers }: SaleKeys) =>
  Object.fromEntries(
    Object.entries(await context.redis.hgetall(buyers)).map(([user, text]) => [user, text.split(':')[3]]),
  );

test.each([
  [
    'ann is told that it has failed',
    'ann',
    /:r:/,
    ':f:',
    'Redis would tell ann that ID-1 is failed; its order is created',
  ],
  ['ann is told that it is paid', 'ann', /:r:/, ':p:', 'Redis would tell ann that ID-1 is paid; its order is created'],
  [
    'bob is told that it is cancelled',
    'bob',
    /:p:/,
    ':c:',
    'Redis would tell bob that ID-2 is cancelled; its order is paid',
  ],
  [
    'cem, who has no order yet, is told that it has failed',
    'cem',
    /:r:/,
    ':f:',
    'Redis would tell cem that ID-3 is failed; it has no order',
  ],
  ['cem is told that it is created', 'cem', /:r:/, ':o:', 'Redis would tell cem that ID-3 is created; it has no order'],
  [
    'dee is told that it is paid',
    'dee',
    /:f:/,
    ':p:',
    'Redis would tell dee that ID-4 is paid; the ledger has refused it',
  ],
])('%s: it counts as tampering, and the repair tells what is so again', async (act, userId, from, to, sentence) => {
  const id = `says-${act.replace(/[^a-z]/g, '').slice(-24)}`;
  const keys = await told(id);
  const before = await context.redis.hgetall(keys.buyers);
  await say(keys, userId, from, to);
  const audit = await stage.audit(id);
  expect(audit).toMatchObject({
    report: { balanced: false },
    tampering: [{ kind: 'status', sentence: sentence.replace('ID', id) }],
    untrue: [{ userId }],
  });
  await repairSale(context, id, sendNothing);
  expect(await held(keys)).toEqual({ ann: userId === 'ann' ? 'o' : 'r', bob: 'p', cem: 'r', dee: 'f' });
  expect(await stage.audit(id)).toMatchObject({
    problems: [],
    untrue: [],
    report: { balanced: true, items: [{ sold: 1, reserved: 1, pending: 1, left: 7 }, {}] },
  });
  expect(Object.keys(before)).toEqual(Object.keys(await context.redis.hgetall(keys.buyers)));
  // The findings are kept.
  expect((await context.ledger.actions(id)).filter(({ verb }) => verb === 'repair')).toMatchObject([
    { details: { statuses: 1, found: [expect.stringContaining(`of ${userId}: `)] } },
    { details: { reservations: 1 } },
  ]);
});

test('another deadline with the buyer is told, and put right', async () => {
  const keys = await told('deadline');
  const before = await context.redis.hgetall(keys.buyers);
  await say(keys, 'ann', /:\d{13}:/, ':4900000000000:');
  await say(keys, 'cem', /:\d{13}:/, ':1700000000000:');
  const { tampering } = await stage.audit('deadline');
  expect(tampering.map(({ kind, sentence }) => [kind, sentence.slice(0, 60)])).toEqual([
    ['reservation_time', 'Redis would tell ann to pay deadline-1 by 2125-04-10T23:06:4'],
    ['reservation_time', 'Redis would tell cem to pay deadline-3 by 2023-11-14T22:13:2'],
  ]);
  await repairSale(context, 'deadline', sendNothing);
  expect(await context.redis.hgetall(keys.buyers)).toEqual({ ...before, ann: before['ann']!.replace(':r:', ':o:') });
  expect((await stage.audit('deadline')).problems).toEqual([]);
});

test('a refusal that Redis has lost again is told again, and its units are sold again once', async () => {
  const keys = await told('again');
  await stage.buy('again', { userId: 'eve' });
  await context.ledger.refuseReservations([refusal('again', 5, { userId: 'eve' })]);
  expect(await stage.audit('again')).toMatchObject({
    problems: [],
    untold: [{ reservationId: 'again-5' }],
    report: { balanced: true },
  });
  await repairSale(context, 'again', sendNothing);
  await repairSale(context, 'again', sendNothing);
  expect([(await held(keys))['eve'], await context.redis.hget(keys.stock, 'tee:booked')]).toEqual(['f', '3']);
  expect(await stage.audit('again')).toMatchObject({
    problems: [],
    untold: [],
    report: { balanced: true, items: [{ left: 7 }, {}] },
  });
});
