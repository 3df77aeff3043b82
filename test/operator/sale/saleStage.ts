import { afterAll, expect } from 'vitest';
import { connectDatabase, type Database } from '../../../src/ledger/database.ts';
import { createReserveEngine, type Purchase, type ReserveAnswer } from '../../../src/grab/reserve.ts';
import { auditSale, type SaleAudit } from '../../../src/operator/sale/audit.ts';
import { createSale, type CreateSaleRequest } from '../../../src/operator/sale/create.ts';
import { openSale } from '../../../src/operator/sale/open.ts';
import type { OrderStep } from '../../../src/sale/order.ts';
import { reservationOrdinal } from '../../../src/sale/ids.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { reservationPages } from '../../../src/store/reservationLog.ts';
import { saleKeys, type SaleKeys } from '../../../src/store/saleKeys.ts';
import { follow } from '../../../src/store/sales.ts';
import { openTestContext, type TestContext } from '../../support/operatorContext.ts';
import { signer } from '../../support/signer.ts';

const HOUR_MS = 3_600_000;
export const ITEMS = [
  { sku: 'tee', units: 10, price: '19.90' },
  { sku: 'mug', units: 5, price: '9.90' },
];

interface SaleStage {
  context: TestContext;
  database: Database;
  /** Ten tees and five mugs, three units a user, open for an hour; not in Redis as open yet. */
  request(id: string, more?: Partial<CreateSaleRequest>): Promise<CreateSaleRequest>;
  /** The same, on sale. */
  open(id: string, more?: Partial<CreateSaleRequest>): Promise<SaleKeys>;
  buy(id: string, ...purchases: (Partial<Purchase> & { userId: string })[]): Promise<ReserveAnswer[]>;
  /** Writes the orders of all reservations in the log, as the workers do. */
  write(id: string): Promise<void>;
  /** Takes a step of an order, and has Redis follow. */
  step(id: string, ordinal: number, to: OrderStep): Promise<void>;
  follow(id: string): Promise<void>;
  audit(id: string): Promise<SaleAudit>;
}

/** At the head of a test file; what it opens goes when its tests are done. */
export async function openSaleStage(): Promise<SaleStage> {
  const context = await openTestContext();
  const database = connectDatabase(context.databaseUrl);
  afterAll(async () => {
    await database.$disconnect();
    await context.stop();
  });
  const engine = createReserveEngine(context.redis, signer, (fault) => {
    throw fault;
  });
  const stage: SaleStage = {
    context,
    database,
    async request(id, more = {}) {
      const now = await redisNow(context.redis);
      return {
        id,
        title: `Sale ${id}`,
        items: ITEMS,
        perUserMax: 3,
        holdMs: 60_000,
        opensAt: now - 1_000,
        closesAt: now + HOUR_MS,
        ...more,
      };
    },
    async open(id, more) {
      expect(await createSale(context, await stage.request(id, more))).toMatchObject({ ok: true, saleId: id });
      expect(await openSale(context, id)).toMatchObject({ ok: true, state: 'loaded' });
      return saleKeys(id);
    },
    buy: (id, ...purchases) =>
      engine.reserve(
        id,
        purchases.map((one) => ({ sku: 'tee', quantity: 1, ...one })),
      ),
    async write(id) {
      const length = await context.redis.llen(saleKeys(id).reservations);
      for await (const page of reservationPages(context.redis, id, length, 500))
        await context.ledger.writeOrders(page.flatMap((one) => (one.ok ? [one.reservation] : [])));
    },
    async step(id, ordinal, to) {
      expect(await context.ledger.stepOrder(`${id}-${ordinal}`, to)).toMatchObject({ outcome: 'done' });
      await stage.follow(id);
    },
    async follow(id) {
      const orders = await context.ledger.unfollowedOrders(id, 100);
      await follow(
        context.redis,
        id,
        orders.map(({ id: orderId, userId, status, toStock }) => ({
          userId,
          ordinal: reservationOrdinal(id, orderId)!,
          status,
          toStock,
        })),
      );
      await context.ledger.markFollowed(orders);
    },
    audit: async (id) => (await auditSale(context, id))!,
  };
  return stage;
}
