import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCancels } from '../../src/orders/cancels.ts';
import { startExpirer } from '../../src/orders/expirer.ts';
import { startFollower } from '../../src/orders/follower.ts';
import { startSaleSettler } from '../../src/maintenance/saleSettler.ts';
import { startLoop } from '../../src/platform/concurrency/loop.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { randomSource } from '../../src/rain/fairness.ts';
import { isBalanced } from '../../src/sale/equation.ts';
import { readSale } from '../../src/store/sales.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { signer } from '../support/signer.ts';
import { sampleSale } from './saleSample.ts';
import { openedSale, reservationLog, reserve, wishToCancel } from './saleStage.ts';

const SEED = process.env['LIFE_SEED'] ?? randomBytes(4).toString('hex');
const UNITS = { tee: 60, mug: 40 } as const;
const HOLD_MS = 1_500;

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context?.stop());

test(`[R8] 30 % never pay, 20 % cancel, 10 % refund, 10 % pay at the deadline: the equation holds at every sample, and what comes back is sold again (LIFE_SEED ${SEED})`, async () => {
  const { ledger, redis } = context;
  const sale = await openedSale(context, 'life', {
    holdMs: HOLD_MS,
    closesAt: Date.now() + 8_000,
    items: Object.entries(UNITS).map(([sku, units]) => ({ sku, units, price: '19.90', perOrderMax: 3 })),
  });
  const log = createLog('life', 'silent');
  const common = { redis, ledger, log };
  const chance = randomSource(SEED.repeat(8).slice(0, 64), 'life');
  const fates = new Map<string, number>();
  const steps: Promise<unknown>[] = [];
  const at = (moment: number, work: () => Promise<unknown>) =>
    steps.push(eventually(() => Date.now() >= moment, { everyMs: 5, timeoutMs: 60_000 }).then(work));

  // The relay and the order worker: what is in the log becomes an order.
  let written = 0;
  const writer = startLoop(async () => {
    const entries = await reservationLog(context, 'life', written);
    // On a busy machine there may be no transaction in time; the worker tries again, too.
    if (entries.length > 0 && !(await ledger.writeOrders(entries).catch(() => false))) return 20;
    written += entries.length;
    for (const { reservationId, userId, payBy } of entries) {
      const [, ordinal] = /-(\d+)$/.exec(reservationId)!;
      const fate = fates.get(userId)!;
      const soon = Date.now() + chance.belowNumber(400);
      if (fate >= 30 && fate < 50) at(soon, () => wishToCancel(context, 'life', userId, Number(ordinal)));
      else if (fate >= 50 && fate < 60)
        at(soon, async () => {
          await ledger.stepOrder(reservationId, 'paid');
          at(Date.now() + chance.belowNumber(400), () => ledger.stepOrder(reservationId, 'refunded'));
        });
      else if (fate >= 60 && fate < 70)
        at(Number(payBy) - 50 + chance.belowNumber(100), () => ledger.stepOrder(reservationId, 'paid'));
      else if (fate >= 70) at(soon, () => ledger.stepOrder(reservationId, 'paid'));
    }
    return 20;
  });
  const parts = [
    writer,
    startFollower({ ...common, signer, everyMs: 20 }),
    startFollower({ ...common, signer, everyMs: 20 }),
    startCancels({ ...common, signer, everyMs: 20 }),
    startExpirer({ ledger, log, everyMs: 20, ordersMax: 7 }),
    startExpirer({ ledger, log, everyMs: 20, ordersMax: 7 }),
    startSaleSettler({ context, log, everyMs: 50 }),
  ];

  // Buyers come for as long as the sale is open; each asks once, and whoever hears "no" leaves.
  let [users, reserved] = [0, 0];
  const soldOut: boolean[] = [];
  const buyers = startLoop(async () => {
    const purchases = Array.from({ length: 1 + chance.belowNumber(12) }, () => {
      const userId = `u${++users}`;
      fates.set(userId, chance.belowNumber(100));
      return { userId, sku: chance.belowNumber(2) === 0 ? 'tee' : 'mug', quantity: 1 + chance.belowNumber(3) };
    });
    const answers = await reserve(context, 'life', purchases);
    reserved += answers.reduce((sum, answer) => sum + ('quantity' in answer ? answer.quantity : 0), 0);
    soldOut.push(answers.every(({ code }) => code !== '0'));
    return 30;
  });

  const faults: unknown[] = [];
  let samples = 0;
  const sampler = startLoop(async () => {
    const sample = await sampleSale(context, 'life');
    samples++;
    for (const equation of sample.equations)
      if (!isBalanced(equation)) sample.problems.push(`not balanced: ${JSON.stringify(equation)}`);
    if (sample.problems.length > 0) faults.push({ at: samples, ...sample });
    return 100;
  });

  await eventually(async () => expect((await ledger.sale('life'))!.settledAt).toBeDefined(), {
    timeoutMs: 60_000,
    everyMs: 100,
  });
  await buyers.close();
  while (steps.length > 0) await steps.shift();
  await eventually(async () => expect(await ledger.orderCounts('life')).toMatchObject({ created: 0, unfollowed: 0 }));
  await sampler.close();
  await Promise.all(parts.map((part) => part.close()));

  expect(faults).toEqual([]);
  expect(samples).toBeGreaterThan(10);
  const total = UNITS.tee + UNITS.mug;
  // All were taken at some moment, and what came back after that was sold again.
  expect(soldOut).toContain(true);
  expect(reserved).toBeGreaterThan(total);
  const end = await sampleSale(context, 'life');
  expect(end.problems).toEqual([]);
  for (const { sku, units, sold, reserved: waiting, pending, left, returned } of end.equations) {
    expect({ units, waiting, pending, left }).toEqual({
      units: UNITS[sku as keyof typeof UNITS],
      waiting: 0,
      pending: 0,
      left: 0,
    });
    expect(sold + returned).toBe(units);
    expect((await readSale(redis, 'life'))!.items.find((item) => item.sku === sku)).toMatchObject({
      booked: sold,
      sold,
      returned,
    });
  }
  const statuses = new Set((await ledger.orders({ saleId: 'life' })).map(({ status }) => status));
  expect(statuses).toEqual(new Set(['paid', 'refunded', 'cancelled', 'timed_out']));
  expect(sale.items).toHaveLength(2);
}, 120_000);
