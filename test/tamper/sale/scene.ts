import { createSale } from '../../../src/operator/sale/create.ts';
import { openSale } from '../../../src/operator/sale/open.ts';
import type { OperatorContext } from '../../../src/operator/context.ts';
import type { OrderQueues } from '../../../src/orders/queue.ts';
import type { Reservation } from '../../../src/sale/reservation.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { saleKeys, type SaleKeys } from '../../../src/store/saleKeys.ts';
import type { Deployment } from '../../faults/deployment.ts';
import type { Shop } from '../../orders/shop.ts';
import { HonestBuyers } from '../../faults/users/honestBuyers.ts';
import { query } from '../scene.ts';

export const UNITS = 20;
export const PRICE = '19.90';
const HOLD_MS = 600_000;
const WINDOW_MS = 900_000;

/**
 * One sale that somebody tampers with, and what the act may use: every command of Redis and every statement of
 * PostgreSQL.
 */
export interface SaleScene extends Pick<OperatorContext, 'redis' | 'ledger'> {
  saleId: string;
  redisUrl: string;
  keys: SaleKeys;
  queues: OrderQueues;
  /** The shop that keeps the orders; absent: the ledger does. */
  shop?: Shop | undefined;
  /** The user in whose favour everything is falsified. */
  thief: string;
  buyers: HonestBuyers;
  /** Runs `rain` with these arguments. @returns its output @throws if it fails */
  rain(...args: string[]): Promise<string>;
  /** The first reservation of the log. */
  first(): Promise<Reservation>;
  /** A reservation as the log holds it, in the thief's favour. */
  forged(more?: Partial<Reservation>): Reservation;
  /** Runs SQL as the role of the application. @throws ActRefused when the database refuses */
  sql(text: string): Promise<void>;
  /** The same, with all triggers switched off, as only a superuser can. */
  sqlWithoutTriggers(text: string): Promise<void>;
}

/** One thing that somebody does by hand who can write to a store. */
export interface SaleAct {
  name: string;
  /** @throws ActRefused when the store refuses it */
  strike(scene: SaleScene): Promise<unknown>;
  /** The sale opens so long after its creation, ms; absent: it is open. */
  opensInMs?: number;
  /** Whether it had no effect, or the system has undone it. */
  healed?(scene: SaleScene): Promise<boolean>;
  /** Sentences of our own, to an operator, a buyer or the shop, that the act has made untrue: one sentence each. */
  untrue?(scene: SaleScene): Promise<string[]>;
  /**
   * An order in the ledger that nobody was told of is the thief's own: the role of the application may write orders.
   */
  writesOrders?: true;
}

/** Creates a sale of twenty tees, one for each buyer. */
export async function openSaleScene(
  { context, databaseUrl, env, gatewayUrls, rain }: Deployment,
  { queues, shop }: Pick<SaleScene, 'queues' | 'shop'>,
  saleId: string,
  opensInMs: number,
): Promise<SaleScene> {
  const opensAt = (await redisNow(context.redis)) + opensInMs;
  const created = await createSale(context, {
    id: saleId,
    items: [{ sku: 'tee', units: UNITS, price: PRICE }],
    holdMs: HOLD_MS,
    orderService: shop ? 'webhook' : 'builtin',
    opensAt,
    closesAt: opensAt + WINDOW_MS,
  });
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  const opened = await openSale(context, saleId);
  if (!opened.ok) throw new Error(JSON.stringify(opened.refusals));
  const thief = `mallory-${saleId}`;
  const keys = saleKeys(saleId);
  const { redis, ledger } = context;
  return {
    redis,
    ledger,
    saleId,
    redisUrl: env['REDIS_URL']!,
    keys,
    queues,
    shop,
    thief,
    rain,
    buyers: new HonestBuyers(gatewayUrls, saleId),
    first: async () => JSON.parse((await redis.lindex(keys.reservations, -1))!) as Reservation,
    forged(more = {}) {
      const at = Date.now();
      return {
        saleId,
        reservationId: `${saleId}-9999`,
        userId: thief,
        sku: 'tee',
        quantity: 1,
        price: PRICE,
        at: String(at),
        payBy: String(at + HOLD_MS),
        ...more,
      };
    },
    sql: (text) => query(databaseUrl, text),
    sqlWithoutTriggers: (text) => query(databaseUrl, `SET session_replication_role = replica; ${text}`),
  };
}
