import { expect, test } from 'vitest';
import { Restocks } from '../../../src/gateway/sales/restocks.ts';
import type { SaleReading } from '../../../src/gateway/sales/saleCache.ts';
import { Undecided } from '../../../src/gateway/sales/undecided.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { readSale } from '../../../src/store/sales.ts';
import { openRedis } from '../../support/rain.ts';
import { stockSale, tee } from './stage.ts';

const { redis } = await openRedis();

test('of an item with a damaged count nothing is left: no restock is told, and purchases that wait for Redis stay bounded [R10]', async () => {
  await stockSale(redis, { saleId: 'damaged', items: [tee(5)] });
  const read = async (): Promise<SaleReading> => {
    const stored = (await readSale(redis, 'damaged'))!;
    return {
      ...stored,
      title: '',
      bySku: new Map(stored.items.map((item) => [item.sku, item])),
      refRequired: false,
      backAt: new Map(),
    };
  };
  const restocked: (number | null)[] = [];
  const restocks = new Restocks({ now: () => Date.now(), tell: (_, { left }) => restocked.push(left) });
  const undecided = new Undecided({ purchasesPerUnitMax: 2, purchasesPerItemMin: 1 });
  const admitted = async () => {
    const sale = await read();
    const admits = Array.from({ length: 20 }, () => undecided.admit({ saleId: 'damaged', sku: 'tee' }, sale)).filter(
      Boolean,
    );
    for (const _ of admits) undecided.decided({ saleId: 'damaged', sku: 'tee' });
    return admits.length;
  };
  restocks.add('damaged', 'tee', 'ann');
  await redis.hset(saleKeys('damaged').stock, 'tee:booked', 'x');
  restocks.look(await read());
  expect([restocked, await admitted()]).toEqual([[], 1]);
  await redis.hset(saleKeys('damaged').stock, 'tee:booked', '0');
  restocks.look(await read());
  expect([restocked, await admitted()]).toEqual([[5], 10]);
});
