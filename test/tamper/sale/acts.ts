import { orderJobId } from '../../../src/orders/job.ts';
import { LIVE_SALES_KEY } from '../../../src/store/saleKeys.ts';
import { EVENTS_CHANNEL } from '../../../src/store/keys.ts';
import type { Reservation } from '../../../src/sale/reservation.ts';
import { eventually } from '../../support/eventually.ts';
import { connect } from '../../support/rain.ts';
import { LETTER_ACTS } from './letterActs.ts';
import type { SaleAct, SaleScene } from './scene.ts';

const log = ({ redis, keys }: SaleScene, entry: Reservation | string) =>
  redis.lpush(keys.reservations, typeof entry === 'string' ? entry : JSON.stringify(entry));
const ordinalOf = ({ reservationId }: Reservation) => reservationId.slice(reservationId.lastIndexOf('-') + 1);

/** The news of the order of this user to honest buyers. */
const heard = ({ buyers }: SaleScene, userId: string) =>
  buyers
    .told()
    .filter((told) => told.userId === userId)
    .flatMap((told) => told.heard);

/** Rewrites Redis's entry of the first buyer. */
async function rewrite({ redis, keys, first }: SaleScene, from: RegExp, to: string): Promise<void> {
  const { userId } = await first();
  await redis.hset(keys.buyers, userId, (await redis.hget(keys.buyers, userId))!.replace(from, to));
}

const REDIS_ACTS: readonly SaleAct[] = [
  { name: 'sale: booked raised', strike: ({ redis, keys }) => redis.hincrby(keys.stock, 'tee:booked', 5) },
  {
    name: 'sale: booked lowered, so that units are sold twice',
    strike: ({ redis, keys }) => redis.hincrby(keys.stock, 'tee:booked', -6),
  },
  { name: 'sale: sold raised', strike: ({ redis, keys }) => redis.hincrby(keys.stock, 'tee:sold', 3) },
  { name: 'sale: units raised', strike: ({ redis, keys }) => redis.hset(keys.stock, 'tee:units', 100) },
  { name: 'sale: another price in the stock', strike: ({ redis, keys }) => redis.hset(keys.stock, 'tee', '0.01:1:1') },
  { name: 'sale: a forged reservation in the log', strike: (scene) => log(scene, scene.forged()) },
  {
    name: 'sale: a forged reservation at a price of its own',
    strike: (scene) => log(scene, scene.forged({ price: '0.01' })),
  },
  {
    name: 'sale: the reservation of a buyer in the log once more, for the thief',
    strike: async (scene) => log(scene, scene.forged({ reservationId: (await scene.first()).reservationId })),
  },
  { name: 'sale: rubbish in the log', strike: (scene) => log(scene, 'not a reservation') },
  {
    name: "sale: a forged buyer's entry",
    strike: async ({ redis, keys, thief, first }) =>
      redis.hset(keys.buyers, thief, `${ordinalOf(await first())}:tee:1:p:${Date.now() + 60_000}::;`),
  },
  {
    name: 'sale: a forged reservation in the log and with the buyer',
    strike: async (scene) => {
      const forged = scene.forged({ price: '0.01' });
      await scene.redis.hset(scene.keys.buyers, scene.thief, `9999:tee:1:r:${forged.payBy}::;`);
      await log(scene, forged);
    },
  },
  {
    name: "sale: a buyer's reservation taken over in the log and with the buyer, with the lease of the relay held",
    async strike({ redis, keys, thief, buyers, saleId }) {
      await redis.set(keys.lease, thief);
      const victim = `${saleId}-victim`;
      await buyers.buy([victim]);
      await redis.hset(keys.buyers, thief, (await redis.hget(keys.buyers, victim))!);
      await redis.hdel(keys.buyers, victim);
      await redis.lset(
        keys.reservations,
        0,
        (await redis.lindex(keys.reservations, 0))!.replace(`"userId":"${victim}"`, `"userId":"${thief}"`),
      );
      await redis.del(keys.lease);
    },
  },
  {
    name: 'sale: reservations made in the log and with the buyers, with signatures of others',
    strike: async (scene) => {
      const { redis, keys, thief } = scene;
      const { mac, ref } = await scene.first();
      const forged = scene.forged({ mac, ref });
      await redis.hset(keys.buyers, thief, `9999:tee:1:r:${forged.payBy}:${mac}:${ref ?? ''};`);
      await log(scene, forged);
    },
  },
  {
    name: 'sale: another key named as that of the sale',
    strike: ({ redis, keys }) => redis.hset(keys.state, 'signedBy', '00000000'),
  },
  {
    name: "sale: a buyer's entry deleted",
    strike: async ({ redis, keys, first }) => redis.hdel(keys.buyers, (await first()).userId),
  },
  { name: 'sale: a reservation removed from the log', strike: ({ redis, keys }) => redis.lpop(keys.reservations) },
  { name: 'sale: the log deleted', strike: ({ redis, keys }) => redis.del(keys.reservations) },
  {
    name: 'sale: the limit per user raised',
    strike: async ({ redis, keys, buyers, thief }) => {
      await redis.hset(keys.state, 'perUserMax', 1_000);
      await redis.hset(keys.stock, 'tee', '19.90:1000:1000');
      await buyers.buy([thief], { quantity: 3 });
    },
  },
  {
    name: 'sale: the opening moved ten minutes early',
    opensInMs: 600_000,
    strike: ({ redis, keys }) => redis.hset(keys.state, 'opensAt', Date.now() - 1_000),
  },
  {
    name: 'sale: the end moved an hour away',
    strike: ({ redis, keys }) => redis.hincrby(keys.state, 'closesAt', 3_600_000),
  },
  ...['draft', 'paused', 'closed', 'settled'].map((made): SaleAct => ({
    name: `sale: made ${made} by hand`,
    strike: ({ redis, keys }) => redis.hset(keys.state, 'state', made),
    healed: async ({ redis, keys }) => (await redis.hget(keys.state, 'state')) === 'loaded',
  })),
  { name: 'sale: a buyer told that an order has failed', strike: (scene) => rewrite(scene, /:[ro]:/, ':f:') },
  { name: 'sale: a buyer told that an order is paid', strike: (scene) => rewrite(scene, /:[ro]:/, ':p:') },
  { name: 'sale: a hundred years to pay', strike: (scene) => rewrite(scene, /:\d{13}:/, ':4900000000000:') },
  {
    name: 'sale: a limit raised for one purchase, and lowered again',
    strike: async ({ redis, keys, buyers, thief }) => {
      const [terms, perUserMax] = [
        (await redis.hget(keys.stock, 'tee'))!,
        (await redis.hget(keys.state, 'perUserMax'))!,
      ];
      await redis.hset(keys.stock, 'tee', '19.90:1000:1000');
      await redis.hset(keys.state, 'perUserMax', 1_000);
      await buyers.buy([thief], { quantity: 3 });
      await redis.hset(keys.stock, 'tee', terms);
      await redis.hset(keys.state, 'perUserMax', perUserMax);
    },
  },
  { name: 'sale: a word as state', strike: ({ redis, keys }) => redis.hset(keys.state, 'state', 'open') },
  { name: 'sale: the state deleted', strike: ({ redis, keys }) => redis.del(keys.state) },
  {
    name: 'sale: an item with other words and another picture',
    strike: async ({ redis, keys }) => {
      const [item] = JSON.parse((await redis.hget(keys.state, 'items'))!);
      const other = { ...item, name: 'Free of charge', description: 'Pay at example.org', picture: '/pictures/x.png' };
      await redis.hset(keys.state, 'items', JSON.stringify([other]));
    },
  },
  {
    name: 'sale: another title in the index',
    strike: ({ redis, saleId }) => redis.hset(LIVE_SALES_KEY, saleId, '{"title":"All prizes are at example.org"}'),
    healed: async ({ redis, saleId }) => !(await redis.hget(LIVE_SALES_KEY, saleId))!.includes('example.org'),
  },
  {
    name: 'sale: the sale taken from the index',
    strike: ({ redis, saleId }) => redis.hdel(LIVE_SALES_KEY, saleId),
    healed: async ({ redis, saleId }) => (await redis.hexists(LIVE_SALES_KEY, saleId)) === 1,
  },
  {
    name: 'sale: held by a hand',
    strike: ({ redis, keys }) => redis.hset(keys.state, 'held', 'redis_behind'),
    healed: async ({ redis, keys }) => (await redis.hexists(keys.state, 'held')) === 0,
  },
  {
    name: 'sale: a forged event that an order is paid',
    async strike({ redis, saleId, first }) {
      const { reservationId, userId } = await first();
      await redis.publish(
        EVENTS_CHANNEL,
        JSON.stringify({
          type: 'orders',
          saleId,
          orders: [{ userId, reservationId, status: 'paid', mark: 'A'.repeat(43) }],
        }),
      );
    },
    healed: async (scene) => !heard(scene, (await scene.first()).userId).includes('paid'),
  },
  {
    name: 'sale: the signed event that an order is paid, once more after its refund',
    strike: async (scene) => {
      const { redis, saleId, ledger, first } = scene;
      const { reservationId, userId } = await first();
      const published = new Map<string, string>();
      const listener = await connect(scene.redisUrl);
      listener.on('message', (_channel: string, text: string) => {
        for (const status of ['paid', 'refunded'])
          if (text.includes(`"${reservationId}","status":"${status}"`)) published.set(status, text);
      });
      try {
        await listener.subscribe(EVENTS_CHANNEL);
        await ledger.stepOrder(reservationId, 'paid');
        await eventually(() => published.has('paid') && heard(scene, userId).includes('paid'));
        await ledger.stepOrderByHand(reservationId, 'refunded', { actor: 'test', reason: `${saleId} is broken` });
        await eventually(() => published.has('refunded') && heard(scene, userId).includes('refunded'));
      } finally {
        listener.disconnect();
      }
      const before = heard(scene, userId).length;
      // The second one is so, and is told after all that the first one could have made the gateway tell.
      for (const status of ['paid', 'refunded']) await redis.publish(EVENTS_CHANNEL, published.get(status)!);
      await eventually(() => heard(scene, userId).length > before);
    },
    healed: async (scene) => heard(scene, (await scene.first()).userId).at(-1) === 'refunded',
    async untrue(scene) {
      const all = heard(scene, (await scene.first()).userId);
      return all.slice(all.indexOf('refunded')).includes('paid') ? ['a buyer was told "paid" after the refund'] : [];
    },
  },
  {
    name: 'sale: another sale named in the state',
    strike: ({ redis, keys }) => redis.hset(keys.state, 'saleId', 'another-sale'),
    healed: async ({ buyers, ledger }) =>
      (await Promise.all(buyers.told().map(({ reservationId }) => ledger.order(reservationId)))).every(Boolean),
  },
  {
    name: 'sale: a forged job in the queue of orders',
    strike: async (scene) => {
      const job = { saleId: scene.saleId, from: 500, entries: [JSON.stringify(scene.forged())] };
      await scene.queues.orders.add('orders', job, { jobId: orderJobId(job) });
    },
  },
  {
    name: "sale: a wish to cancel a buyer's order, in the buyer's name",
    strike: async ({ redis, keys, first }) =>
      redis.lpush(
        keys.cancels,
        `${(await first()).userId} ${ordinalOf(await first())} AAAAAAAAAAAAAAAA`,
        `${(await first()).userId} ${ordinalOf(await first())}`,
      ),
    healed: async ({ redis, keys, ledger, first }) =>
      (await redis.llen(keys.cancels)) === 0 &&
      (await ledger.order((await first()).reservationId))?.status === 'created',
  },
  {
    name: 'sale: the list of wishes to cancel filled with junk',
    strike: ({ redis, keys }) =>
      redis.eval(
        "for i = 1, 100 do local junk = {} for j = 1, 1000 do junk[j] = 'junk ' .. i .. ' ' .. j end redis.call('RPUSH', KEYS[1], unpack(junk)) end",
        1,
        keys.cancels,
      ),
    async healed({ buyers, ledger, first }) {
      const { userId, reservationId } = await first();
      buyers.cancel(userId, reservationId);
      return (await ledger.order(reservationId))?.status === 'cancelled';
    },
  },
];

const firstOrder = (saleId: string) => `"id" = '${saleId}-1'`;

const LEDGER_ACTS: readonly SaleAct[] = [
  {
    name: 'sale: an order deleted',
    strike: ({ sql, saleId }) => sql(`DELETE FROM "SaleOrder" WHERE ${firstOrder(saleId)}`),
  },
  {
    name: 'sale: an order deleted by a superuser',
    strike: ({ sqlWithoutTriggers, saleId }) =>
      sqlWithoutTriggers(`DELETE FROM "SaleOrder" WHERE ${firstOrder(saleId)}`),
  },
  {
    name: 'sale: an order given to the thief',
    strike: ({ sql, saleId, thief }) => sql(`UPDATE "SaleOrder" SET "userId" = '${thief}' WHERE ${firstOrder(saleId)}`),
  },
  {
    name: 'sale: an order at another price',
    strike: ({ sql, saleId }) => sql(`UPDATE "SaleOrder" SET "priceCents" = 1 WHERE ${firstOrder(saleId)}`),
  },
  {
    name: 'sale: the price of an item lowered',
    strike: ({ sql, saleId }) => sql(`UPDATE "SaleItem" SET "priceCents" = 1 WHERE "saleId" = '${saleId}'`),
  },
  {
    name: 'sale: the units of an item raised',
    strike: ({ sqlWithoutTriggers, saleId }) =>
      sqlWithoutTriggers(`UPDATE "SaleItem" SET "units" = "units" + 50 WHERE "saleId" = '${saleId}'`),
  },
  {
    name: 'sale: a stock transfer removed',
    strike: ({ sql, saleId }) => sql(`DELETE FROM "StockTransfer" WHERE "saleId" = '${saleId}'`),
  },
  {
    name: 'sale: a stock transfer removed by a superuser',
    strike: ({ sqlWithoutTriggers, saleId }) =>
      sqlWithoutTriggers(`DELETE FROM "StockTransfer" WHERE "id" = 'reserve:${saleId}-1'`),
  },
  {
    name: 'sale: a stock account changed',
    strike: ({ sql, saleId }) =>
      sql(`UPDATE "StockAccount" SET "units" = "units" + 5 WHERE "saleId" = '${saleId}' AND "place" = 'available'`),
  },
  {
    name: 'sale: a stock account changed by a superuser',
    strike: ({ sqlWithoutTriggers, saleId }) =>
      sqlWithoutTriggers(
        `UPDATE "StockAccount" SET "units" = "units" + 5 WHERE "saleId" = '${saleId}' AND "place" = 'available'`,
      ),
  },
  {
    name: 'sale: an order that was never reserved',
    writesOrders: true,
    strike: ({ sql, saleId, thief }) =>
      sql(`INSERT INTO "SaleOrder" ("id", "saleId", "userId", "sku", "quantity", "priceCents", "reservedAt", "payBy", "changedAt")
      VALUES ('${saleId}-9999', '${saleId}', '${thief}', 'tee', 1, 1990, now(), now() + interval '1 hour', now())`),
  },
];

export const SALE_ACTS = [...REDIS_ACTS, ...LETTER_ACTS, ...LEDGER_ACTS];
