import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkerProcess } from '../../src/bin/servers/worker.ts';
import { closeSale } from '../../src/store/saleEnd.ts';
import { readSale } from '../../src/store/sales.ts';
import { openedSale, reserveTees, wishToCancel, writeLog } from '../orders/saleStage.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { scrape } from '../support/scrape.ts';
import { openWorker } from '../support/servers/worker.ts';

let context: TestContext;
let worker: WorkerProcess;
beforeAll(async () => {
  context = await openTestContext();
  worker = await openWorker(context, { metrics: { host: '127.0.0.1', port: 0 } });
});
afterAll(async () => {
  await worker?.close();
  await context?.stop();
});

test('a worker makes orders of reservations, ends what is due, cancels, follows, settles, and tells how the units of each item stand', async () => {
  await openedSale(context, 'work', { holdMs: 2_500 });
  await reserveTees(context, 'work', 4);
  await writeLog(context, 'work');
  await context.ledger.stepOrder('work-1', 'paid');
  await context.ledger.stepOrder('work-2', 'paid');
  await context.ledger.stepOrder('work-2', 'refunded');
  await wishToCancel(context, 'work', 'u3', 3);
  // Nobody writes the order of this one but the worker.
  await reserveTees(context, 'work', 1, 5);
  await eventually(async () =>
    expect((await readSale(context.redis, 'work'))!.items[0]).toMatchObject({ booked: 1, sold: 1 }),
  );
  await eventually(async () => {
    const figures = await scrape(worker.metricsUrl!);
    const units = (part: string, sku = 'tee') =>
      figures.get(`rain_sale_units{sale="work",sku="${sku}",part="${part}"}`);
    expect(['sold', 'reserved', 'pending', 'left', 'returned'].map((part) => units(part))).toEqual([1, 0, 0, 9, 0]);
    expect(units('left', 'mug')).toBe(5);
    expect(figures.get('rain_live_sales')).toBe(1);
    expect(figures.get('rain_sale_oldest_unfollowed_seconds')).toBe(0);
    expect(figures.get('rain_sale_expired_orders_total')).toBe(2);
    expect(figures.get('rain_sale_cancel_wishes_total')).toBe(1);
    expect(figures.get('rain_sale_followed_orders_total')).toBeGreaterThanOrEqual(4);
  });
  expect(await closeSale(context.redis, 'work', 'early')).toBe(true);
  await context.ledger.sealSale('work');
  await eventually(async () => expect((await context.ledger.sale('work'))!.settledAt).toBeDefined());
  expect((await context.ledger.stock('work'))[0]!.accounts).toEqual({ shop: -1, available: 0, reserved: 0, sold: 1 });
  await eventually(async () =>
    expect(await readSale(context.redis, 'work')).toMatchObject({
      state: 'settled',
      items: [{ booked: 1, sold: 1, returned: 9 }, { returned: 5 }],
    }),
  );
});
