import { expect, test } from 'vitest';
import { auditSale } from '../../../src/operator/sale/audit.ts';
import { openSaleReplay } from '../../../src/operator/sale/replay.ts';
import { endSale } from '../../../src/operator/sale/transitions.ts';
import { openSale } from '../../../src/operator/sale/open.ts';
import { topUpSale } from '../../../src/operator/sale/topUp.ts';
import { parseReservation, type Reservation } from '../../../src/sale/reservation.ts';
import type { SaleKeys } from '../../../src/store/saleKeys.ts';
import { createSigner } from '../../../src/store/signer.ts';
import { laterSigner, signer } from '../../support/signer.ts';
import { withoutTriggers } from '../../support/withoutTriggers.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context, database } = stage;

const tee = async (id: string) => (await stage.audit(id)).report.items[0]!;

test('[R8] units = sold + reserved + pending + left + returned through the life of its purchases, and every figure is the true one', async () => {
  await stage.open('life');
  expect((await stage.audit('life')).report).toEqual({
    saleId: 'life',
    orders: 0,
    buyers: 0,
    balanced: true,
    items: [
      { sku: 'tee', units: 10, sold: 0, reserved: 0, pending: 0, left: 10, returned: 0 },
      { sku: 'mug', units: 5, sold: 0, reserved: 0, pending: 0, left: 5, returned: 0 },
    ],
  });
  await stage.buy('life', { userId: 'ann', quantity: 2 }, { userId: 'bob' }, { userId: 'cem' }, { userId: 'dee' });
  expect(await tee('life')).toEqual({ sku: 'tee', units: 10, sold: 0, reserved: 0, pending: 5, left: 5, returned: 0 });
  await stage.write('life');
  await stage.step('life', 1, 'paid');
  await stage.step('life', 2, 'cancelled');
  expect(await stage.audit('life')).toMatchObject({
    problems: [],
    report: {
      orders: 4,
      buyers: 4,
      balanced: true,
      items: [{ units: 10, sold: 2, reserved: 2, pending: 0, left: 6, returned: 0 }, {}],
    },
  });
  // Redis does not know yet that it is paid, and then that it is refunded: no difference.
  await context.ledger.stepOrder('life-3', 'paid');
  expect(await stage.audit('life')).toMatchObject({
    problems: [],
    report: { balanced: true, items: [{ sold: 3 }, {}] },
  });
  await context.ledger.stepOrder('life-3', 'refunded');
  expect(await stage.audit('life')).toMatchObject({
    problems: [],
    wrongCounts: [],
    report: { balanced: true, items: [{ sold: 2, left: 7 }, {}] },
  });
  await stage.follow('life');
  await topUpSale(context, 'life', { id: 'life/1', sku: 'tee', units: 4 });
  await endSale(context, 'life');
  await stage.step('life', 1, 'refunded');
  await stage.step('life', 4, 'timed_out');
  await context.ledger.settleSale('life');
  expect(await stage.audit('life')).toMatchObject({
    problems: [],
    report: {
      orders: 4,
      balanced: true,
      items: [
        { sku: 'tee', units: 14, sold: 0, reserved: 0, pending: 0, left: 0, returned: 14 },
        { sku: 'mug', units: 5, returned: 5 },
      ],
    },
  });
});

test('[R8] it also holds at every look while people buy, pay and give back', async () => {
  await stage.open('busy', { items: [{ sku: 'tee', units: 60, price: '0.00' }] });
  const traffic = (async () => {
    for (let n = 1; n <= 60; n++) {
      await stage.buy('busy', { userId: `u${n}` });
      await stage.write('busy');
      await context.ledger.stepOrder(`busy-${n}`, n % 3 === 0 ? 'cancelled' : 'paid');
      if (n % 6 === 1) await context.ledger.stepOrder(`busy-${n}`, 'refunded');
      if (n % 2 === 0) await stage.follow('busy');
    }
  })();
  let looks = 0;
  for (let isDone = false; !isDone; looks++) {
    isDone = await Promise.race([
      traffic.then(() => true),
      auditSale(context, 'busy').then((audit) => {
        expect(audit).toMatchObject({ problems: [], report: { balanced: true } });
        return false;
      }),
    ]);
  }
  expect(looks).toBeGreaterThan(5);
  await stage.follow('busy');
  expect(await stage.audit('busy')).toMatchObject({
    problems: [],
    report: { balanced: true, items: [{ sold: 30, reserved: 0, pending: 0, left: 30 }] },
  });
});

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

const stranger = createSigner('a-secret-of-another-system-0123456789-0123456789');

async function entry(keys: SaleKeys, index: number, more: Partial<Reservation>): Promise<string> {
  const parsed = parseReservation((await context.redis.lindex(keys.reservations, -(index + 1)))!);
  if (!parsed.ok) throw new Error(parsed.reason);
  return JSON.stringify({ ...parsed.reservation, ...more });
}

type Act = readonly [act: string, harm: (id: string, keys: SaleKeys) => Promise<unknown>, sentence: RegExp];
const set = (keys: SaleKeys, field: string, value: string | number) => context.redis.hset(keys.state, field, value);
const ACTS: readonly Act[] = [
  [
    'booked raised',
    (_, { stock }) => context.redis.hincrby(stock, 'tee:booked', 3),
    /^Redis counts 7 tee as booked; by the log and the ledger they are 4$/,
  ],
  [
    'booked lowered, so that more is sold than there is',
    (_, { stock }) => context.redis.hincrby(stock, 'tee:booked', -3),
    /^Redis counts 1 tee as booked; by the log and the ledger they are 4$/,
  ],
  [
    'sold changed',
    (_, { stock }) => context.redis.hset(stock, 'tee:sold', 'many'),
    /^Redis counts many tee as sold; by the log and the ledger they are 2$/,
  ],
  [
    'units taken away as returned',
    (_, { stock }) => context.redis.hset(stock, 'mug:returned', 4),
    /^Redis counts 4 mug as returned; by the log and the ledger they are 0$/,
  ],
  [
    'units invented in Redis',
    (_, { stock }) => context.redis.hset(stock, 'tee:units', 100),
    /^Redis has "100" units of tee to sell; by the ledger they are 10$/,
  ],
  [
    'another price',
    (_, { stock }) => context.redis.hset(stock, 'tee', '0.01:1000:1000'),
    /^Redis sells tee as "0\.01:1000:1000" .*; the ledger has "19\.90:1000:1000"$/,
  ],
  ['another price shown', (_, keys) => set(keys, 'items', '[]'), /^the items in Redis are not those of the ledger/],
  [
    'a later end',
    (_, keys) => set(keys, 'closesAt', 9_999_999_999_999),
    /^Redis opens the sale at "\d+" and closes it at "9999999999999"; the ledger says /,
  ],
  [
    'a longer time to pay',
    (_, keys) => set(keys, 'holdMs', 600_000),
    /^Redis has "600000" as holdMs of the sale; the ledger has "60000"$/,
  ],
  [
    'no limit per user',
    (_, keys) => context.redis.hdel(keys.state, 'perUserMax'),
    /^Redis has nothing as perUserMax of the sale; the ledger has "3"$/,
  ],
  [
    'a sale that is made unlisted',
    (_, keys) => set(keys, 'terms', '{"unlisted":true}'),
    /^Redis has "\{.*unlisted.*\}" as terms of the sale; the ledger has "\{\}"$/,
  ],
  ['terms that are no JSON', (_, keys) => set(keys, 'terms', 'torn'), /^Redis has "torn" as terms of the sale/],
  [
    'a top-up that nobody booked',
    (_, keys) => set(keys, 'added', ',1,'),
    /^Redis has a top-up "1" that the ledger does not know$/,
  ],
  [
    'a word as state',
    (_, keys) => set(keys, 'state', 'open'),
    /^the state of the sale in Redis is "open", expected draft, /,
  ],
  [
    'a forged reservation in the log',
    async (id, keys) =>
      context.redis.lpush(keys.reservations, await entry(keys, 0, { reservationId: `${id}-4`, userId: 'thief' })),
    /-4, 2 tee at 19\.90 for thief, is in the reservation log, and Redis has no such reservation with this buyer$/,
  ],
  [
    'a forged reservation at a price of its own',
    async (id, keys) =>
      context.redis.lpush(
        keys.reservations,
        await entry(keys, 0, { reservationId: `${id}-4`, userId: 'thief', price: '0.01' }),
      ),
    /-4, 2 tee at 0\.01 for thief, is in the reservation log, and the sale has tee at 19\.90, at most 1000 in an order$/,
  ],
  [
    'a reservation raised in the log',
    async (_, keys) => context.redis.lset(keys.reservations, 0, await entry(keys, 2, { quantity: 3 })),
    /-3, 3 tee at 19\.90 for cem, is in the reservation log, and Redis has 1 tee under this number with this buyer$/,
  ],
  [
    'a reservation in the log twice',
    async (_, keys) => context.redis.lpush(keys.reservations, await entry(keys, 0, {})),
    /-1 is in the reservation log twice, now for ann$/,
  ],
  [
    'a reservation taken over in the log and with the buyer',
    async (_, keys) => {
      await context.redis.lset(keys.reservations, 0, await entry(keys, 2, { userId: 'thief' }));
      await context.redis.hset(keys.buyers, 'thief', (await context.redis.hget(keys.buyers, 'cem'))!);
      await context.redis.hdel(keys.buyers, 'cem');
    },
    /-3, 1 tee at 19\.90 for thief, is in the reservation log, and is not signed with SIGNING_SECRET: no gateway has made it$/,
  ],
  [
    'a signature taken from a buyer',
    async (_, keys) =>
      context.redis.hset(
        keys.buyers,
        'cem',
        (await context.redis.hget(keys.buyers, 'cem'))!.replace(/:[\w-]{16}:;$/, '::;'),
      ),
    /^Redis has the reservation \S+-3, 1 tee, with cem, not signed with SIGNING_SECRET: the gateways tell nobody of it$/,
  ],
  [
    'another key named',
    (_, keys) => set(keys, 'signedBy', '00000000'),
    /^Redis has "00000000" as signedBy of the sale; the ledger has "[0-9a-f]{8}"$/,
  ],
  [
    'rubbish in the log',
    (_, keys) => context.redis.lpush(keys.reservations, 'gold'),
    /^entry 3 of the reservation log is not a reservation of this sale: not JSON$/,
  ],
  [
    'a reservation removed from the log',
    (_, keys) => context.redis.lpop(keys.reservations),
    /^Redis counts 3 reservations, and the log has 2$/,
  ],
  [
    'a reservation given to a buyer',
    (_, keys) => context.redis.hset(keys.buyers, 'thief', '2:tee:1:p:1790000000000::;'),
    /^Redis has the reservation \S+-2, 1 tee, with thief; the reservation log has it with bob$/,
  ],
  [
    'a buyer told that it is paid',
    async (_, keys) =>
      context.redis.hset(keys.buyers, 'bob', (await context.redis.hget(keys.buyers, 'bob'))!.replace(':r:', ':p:')),
    /^Redis would tell bob that \S+-2 is paid; its order is created$/,
  ],
  [
    'a buyer deleted',
    (_, keys) => context.redis.hdel(keys.buyers, 'cem'),
    /-3, 1 tee at 19\.90 for cem, is in the reservation log, and Redis has no such reservation with this buyer$/,
  ],
  [
    'a buyer made unreadable',
    (_, keys) => context.redis.hset(keys.buyers, 'cem', 'x'),
    /^the reservations of cem in Redis cannot be read: "x"$/,
  ],
  [
    'the sale deleted in Redis',
    async (_, keys) => context.redis.del(keys.state, keys.reservations),
    /^Redis has lost the sale /,
  ],
  [
    'an order row deleted',
    (id) => withoutTriggers(database, `DELETE FROM "SaleOrder" WHERE "id" = '${id}-2'`),
    /^the order \S+-2 is gone, and its stock transfers are there: somebody has changed the ledger$/,
  ],
  [
    'an order set to paid',
    (id) => withoutTriggers(database, `UPDATE "SaleOrder" SET "status" = 'paid' WHERE "id" = '${id}-2'`),
    /^the order \S+-2 is paid, and its stock transfers leave 1 reserved and 0 sold: somebody/,
  ],
  [
    'an order given to another user',
    (id) => withoutTriggers(database, `UPDATE "SaleOrder" SET "userId" = 'thief' WHERE "id" = '${id}-2'`),
    /-2 is 1 tee at 19\.90 for bob in the log; its order is 1 tee at 19\.90 for thief$/,
  ],
  [
    'an order beyond the limit of the user',
    (id) => withoutTriggers(database, `UPDATE "SaleOrder" SET "userId" = 'ann', "quantity" = 2 WHERE "id" = '${id}-2'`),
    /^ann has orders of 4 units in the sale, and may have 3$/,
  ],
  [
    'an order that was never reserved',
    async (id) =>
      context.ledger.writeOrders([
        {
          saleId: id,
          reservationId: `${id}-9`,
          userId: 'thief',
          sku: 'tee',
          quantity: 1,
          price: '19.90',
          at: String(Date.now()),
          payBy: String(Date.now()),
        },
      ]),
    /^there is an order \S+-9, and Redis has made 3 reservations/,
  ],
  [
    'a stock transfer removed',
    (id) => withoutTriggers(database, `DELETE FROM "StockTransfer" WHERE "id" = 'sell:${id}-1'`),
    /^the stock account reserved of tee holds 1, and its transfers sum to 3: somebody has changed the ledger$/,
  ],
  [
    'a supply removed, and the accounts with it',
    (id) =>
      withoutTriggers(
        database,
        `DELETE FROM "StockTransfer" WHERE "id" = 'supply:${id}/mug'`,
        `UPDATE "StockAccount" SET "units" = 0 WHERE "saleId" = '${id}' AND "sku" = 'mug'`,
      ),
    /^the sale has 5 mug, and transfers have brought 0 from the shop: somebody/,
  ],
  [
    'a stock account raised',
    (id) =>
      withoutTriggers(
        database,
        `UPDATE "StockAccount" SET "units" = "units" + 1 WHERE "saleId" = '${id}' AND "place" = 'available' AND "sku" = 'tee'`,
      ),
    /^the stock account available of tee holds 8, and its transfers sum to 7: somebody/,
  ],
];

test.each(ACTS.map(([act, harm, sentence], n) => ({ act, harm, sentence, id: `act-${n}` })))(
  '$act is told, and the sale does not add up',
  async ({ harm, sentence, id }) => {
    const keys = await sold(id);
    await harm(id, keys);
    const { problems, report } = await stage.audit(id);
    expect(problems).toEqual(expect.arrayContaining([expect.stringMatching(sentence)]));
    expect(report.balanced).toBe(false);
  },
);

test('the replay names what nobody has signed, unless it lacks the key', async () => {
  const keys = await sold('replayed');
  await context.redis.lset(keys.reservations, 0, await entry(keys, 2, { userId: 'thief' }));
  const faults = async (reader: typeof context) => {
    const replay = await openSaleReplay(reader, 'replayed');
    if (!replay.ok) throw new Error(JSON.stringify(replay.refusals));
    const found: (string | undefined)[] = [];
    for await (const { fault } of replay.entries) found.push(fault);
    return found;
  };
  expect(await faults(context)).toEqual([
    undefined,
    undefined,
    'replayed-3 is not signed with SIGNING_SECRET: no gateway has made it',
  ]);
  expect(await faults({ ...context, signer: stranger })).toEqual([undefined, undefined, undefined]);
});

test('loading a sale again names its own key again, whoever loads it', async () => {
  const keys = await sold('named');
  await set(keys, 'signedBy', '00000000');
  expect(await openSale({ ...context, signer: stranger }, 'named')).toMatchObject({ ok: true, state: 'loaded' });
  expect(await context.redis.hget(keys.state, 'signedBy')).toBe(signer.keyId);
  expect(await stage.audit('named')).toMatchObject({ problems: [], report: { balanced: true } });
});

test('an audit with another SIGNING_SECRET accuses nobody; while the secret is replaced, it knows both', async () => {
  await sold('secret');
  const { problems, tampering, report } = (await auditSale({ ...context, signer: stranger }, 'secret'))!;
  expect([problems[0], tampering, report.balanced]).toEqual([
    expect.stringContaining(`another SIGNING_SECRET than this process has, by the name of ${signer.keyId}`),
    [],
    false,
  ]);
  expect(await auditSale({ ...context, signer: laterSigner }, 'secret')).toMatchObject({
    problems: [],
    report: { balanced: true },
  });
});
