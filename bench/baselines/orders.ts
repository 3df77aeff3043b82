// One job and one Prisma transaction per order: how most shops write the orders of a flash sale.
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { connectDatabase } from '../../src/ledger/database.ts';
import { parseMoney } from '../../src/rain/money.ts';
import { announce, DATABASE_URL, REDIS_URL } from './surroundings.ts';

interface OrderJob {
  id: string;
  saleId: string;
  userId: string;
  sku: string;
  price: string;
  at: number;
  payBy: number;
}

const CONCURRENCY = 16;
const database = connectDatabase(DATABASE_URL, { connectionsMax: CONCURRENCY });

new Worker<OrderJob>(
  'one-order',
  async ({ data: { price, at, payBy, ...order } }) => {
    // The database takes the unit from the stock in the same transaction.
    await database.saleOrder.create({
      data: { ...order, quantity: 1, priceCents: parseMoney(price)!, reservedAt: new Date(at), payBy: new Date(payBy) },
    });
  },
  { connection: new Redis(REDIS_URL, { maxRetriesPerRequest: null }), concurrency: CONCURRENCY },
);
announce(0);
