import { expect, test } from 'vitest';
import { settleSale } from '../../../src/maintenance/settleSale.ts';
import { acknowledgeSaleTampering } from '../../../src/operator/sale/audit/acknowledgeTampering.ts';
import { discardOrderLetter } from '../../../src/operator/sale/deadLetters/discard.ts';
import { endSale } from '../../../src/operator/sale/transitions.ts';
import { addOrderLetters } from '../../../src/orders/deadLetters.ts';
import { orderLetterId } from '../../../src/orders/deadLetter.ts';
import { openOrderQueues } from '../../../src/orders/queue.ts';
import { parseReservation } from '../../../src/sale/reservation.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import { callCli } from '../../support/call.ts';
import { openSaleStage } from './saleStage.ts';
import { signer } from '../../support/signer.ts';

const stage = await openSaleStage();
const { context } = stage;

/** ann has paid for a tee, and the sale is over. */
async function ended(id: string) {
  const keys = await stage.open(id);
  await stage.buy(id, { userId: 'ann' });
  await stage.write(id);
  await stage.step(id, 1, 'paid');
  await endSale(context, id);
  const settle = () => settleSale(context, id, { title: id }, {});
  return { keys, settle, entry: (await context.redis.lindex(keys.reservations, -1))! };
}

/** An entry as the thief would like it. */
function forged(entry: string, more: object): string {
  const parsed = parseReservation(entry);
  if (!parsed.ok) throw new Error(parsed.reason);
  return JSON.stringify({ ...parsed.reservation, userId: 'thief', ...more });
}

test('a forged entry and a rubbish one, whose letters were discarded, are explained, and the sale is settled', async () => {
  const { keys, settle, entry } = await ended('letters');
  const log = [forged(entry, { reservationId: 'letters-900' }), 'gold', forged(entry, {})];
  for (const one of log) await context.redis.lpush(keys.reservations, one);
  expect(await stage.audit('letters')).toMatchObject({
    report: { balanced: false },
    tampering: [{ kind: 'log' }, { kind: 'false_reservation' }, { kind: 'log' }, { kind: 'made' }],
  });
  expect(await settle()).toMatchObject({ outcome: 'waiting', for: 'orders', count: 3 });
  const queues = openOrderQueues({
    connection: context.redis,
    prefix: QUEUE_PREFIX,
    onError: () => {},
    visiting: true,
  });
  for (const [i, one] of log.entries()) {
    const letter = { saleId: 'letters', index: i + 1, entry: one, reason: 'not_reserved', detail: 'x' } as const;
    await addOrderLetters(queues.dead, [letter], signer);
    expect(
      await discardOrderLetter(
        { ...context, queues: { orders: queues.orders, ordersLater: queues.later, ordersDead: queues.dead } },
        orderLetterId(letter),
        'a thief',
      ),
    ).toMatchObject({ ok: true });
  }
  expect(await stage.audit('letters')).toMatchObject({
    problems: [],
    tampering: [],
    explained: 3,
    report: { balanced: true, items: [{ units: 10, sold: 1, left: 9 }, {}] },
    acknowledged: [{ reason: 'a thief' }, {}, {}],
  });
  expect(await settle()).toEqual({ outcome: 'settled' });
  await Promise.all(Object.values(queues).map((queue) => queue.close()));
});

test('what no letter tells is acknowledged with a reason, and then the sale is settled; another lie about the same field is told again', async () => {
  const { keys, settle, entry } = await ended('seen');
  await context.redis.lpush(keys.reservations, entry);
  await context.redis.hset(keys.state, 'holdMs', 5);
  expect(await settle()).toMatchObject({ outcome: 'waiting', for: 'orders', count: 1 });
  expect(await acknowledgeSaleTampering(context, 'seen', '')).toEqual({
    ok: false,
    refusals: [{ field: 'reason', reason: 'expected 1 to 500 characters' }],
  });
  expect(await acknowledgeSaleTampering(context, 'nowhere', 'looked')).toEqual({
    ok: false,
    refusals: [{ field: 'id', reason: 'there is no sale nowhere' }],
  });
  expect(await acknowledgeSaleTampering(context, 'seen', 'looked', true)).toEqual({ ok: true, findings: 2 });
  expect(await stage.audit('seen')).toMatchObject({ report: { balanced: false } });
  const env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
  const seen = await callCli(['sale', 'audit', 'seen', '--acknowledge-tampering', 'looked into'], env).done;
  expect(seen).toMatchObject({ exit: 0, stderr: 'seen: 2 findings were acknowledged\n' });
  expect(seen.stdout).toMatch(/^explained by \S+, looked into: (log|state), [^]*The units add up/);
  await context.redis.hset(keys.state, 'holdMs', 6);
  expect((await stage.audit('seen')).problems).toEqual(['Redis has "6" as holdMs of the sale; the ledger has "60000"']);
  expect(await settle()).toMatchObject({ outcome: 'not_balanced' });
  expect(await acknowledgeSaleTampering(context, 'seen', 'once more')).toEqual({ ok: true, findings: 1 });
  expect(await settle()).toEqual({ outcome: 'settled' });
  expect((await context.ledger.stock('seen'))[0]!.accounts).toEqual({ shop: -1, available: 0, reserved: 0, sold: 1 });
});

test('an honest reservation without an order is not explained by a discarded letter, and counts are put right, not acknowledged', async () => {
  const keys = await stage.open('honest');
  await stage.buy('honest', { userId: 'ann' });
  await context.redis.hincrby(keys.stock, 'mug:booked', 2);
  const entry = (await context.redis.lindex(keys.reservations, 0))!;
  await context.ledger.discardLetter({
    letterId: orderLetterId({ saleId: 'honest', index: 0, entry }),
    saleId: 'honest',
    entry,
    deadReason: 'unavailable',
    reason: 'x',
    actor: 'test',
  });
  expect(await acknowledgeSaleTampering(context, 'honest', 'never mind')).toEqual({ ok: true, findings: 0 });
  expect(await stage.audit('honest')).toMatchObject({
    explained: 0,
    report: { balanced: false, items: [{ pending: 1, left: 9 }, {}] },
    wrongCounts: [{ field: 'mug:booked', right: 0 }],
  });
});
