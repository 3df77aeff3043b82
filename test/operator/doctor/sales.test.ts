import { expect, test } from 'vitest';
import { examineSales } from '../../../src/operator/doctor/sales.ts';
import { openOrderQueues } from '../../../src/orders/queue.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import { LIVE_SALES_KEY, saleKeys } from '../../../src/store/saleKeys.ts';
import { withoutTriggers } from '../../support/withoutTriggers.ts';
import { openSaleStage } from '../sale/saleStage.ts';

const stage = await openSaleStage();
const { context, database } = stage;
const NAMES = [
  'sales',
  'sales',
  'held sales',
  'tampered sales',
  'overdue sales',
  'orders waiting',
  'unfollowed orders',
  'wishes to cancel',
];

/** Verdict and what was found, by name; without what is well. */
const wrong = async () =>
  Object.fromEntries(
    (await examineSales(context))
      .filter(({ verdict }) => verdict !== 'ok')
      .map(({ subject, name, verdict, found }) => [`${subject} ${name}`, `${verdict}: ${found}`]),
  );

test('without sales nothing is said, and of a sale in order only that it is', async () => {
  expect(await examineSales(context)).toEqual([]);
  await stage.open('fine');
  await stage.buy('fine', { userId: 'ann' });
  expect((await examineSales(context)).map(({ name, verdict, advice }) => [name, verdict, advice])).toEqual(
    NAMES.map((name) => [name, 'ok', undefined]),
  );
  expect((await examineSales(context))[5]!.found).toBe('1 reservations and 0 jobs');
});

test('what is stopped, lost, late or waiting is named, with what to do', async () => {
  const keys = await stage.open('stopped');
  await stage.open('lost');
  await stage.open('unlisted');
  await context.redis.del(saleKeys('lost').state);
  await context.redis.hdel(LIVE_SALES_KEY, 'unlisted');
  await context.redis.hset(LIVE_SALES_KEY, 'stray', '{"title":"x"}');
  await context.redis.hset(keys.state, 'held', 'x', 'state', 'paused');
  await context.ledger.record({
    actor: 'auditor',
    verb: 'pause',
    rainId: 'stopped',
    details: { reason: 'counts', findings: [] },
  });
  await context.redis.lpush(keys.cancels, 'ann 1');
  const longAgo = {
    opensAt: 1_000,
    closesAt: 2_000,
    holdMs: 1_000,
    orderService: 'builtin',
    items: [{ sku: 'tee', units: 1, price: '1.00' }],
  } as const;
  await context.ledger.createSale({ id: 'late', title: '', ...longAgo }, 'test');
  await context.ledger.createSale({ id: 'over', title: '', ...longAgo, closesAt: Date.now() - 1_000 }, 'test');
  await stage.write('fine');
  await withoutTriggers(
    database,
    `INSERT INTO "UnfollowedOrder" ("orderId", "saleId", "status", "changedAt") SELECT "id", "saleId", "status", now() - interval '2 minutes' FROM "SaleOrder" ON CONFLICT ("orderId") DO UPDATE SET "changedAt" = excluded."changedAt"`,
  );
  const queues = openOrderQueues({ connection: context.redis, prefix: QUEUE_PREFIX, onError: () => {} });
  await queues.orders.add('range', { saleId: 'fine', from: 0, entries: ['x'] }, { timestamp: Date.now() - 90_000 });
  expect(await wrong()).toEqual({
    'redis sales': 'wrong: missing: unlisted, lost',
    'database sales': 'wrong: unknown: stray',
    'redis held sales': 'wrong: stopped',
    'redis tampered sales': 'wrong: paused by the background audit: stopped',
    'database overdue sales': 'warning: late',
    'redis orders waiting': expect.stringMatching(
      /^warning: 1 reservations and 1 jobs, the oldest since \S+Z$/,
    ) as string,
    'database unfollowed orders': expect.stringMatching(/^warning: the oldest for 12\d s$/) as string,
    'redis wishes to cancel': 'warning: waiting in 1 sales',
  });
  for (const { verdict, advice } of await examineSales(context)) expect(advice === undefined).toBe(verdict === 'ok');
  await Promise.all(Object.values(queues).map((queue) => queue.close()));
});
