import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { startRetention } from '../../src/maintenance/retention.ts';
import { newSale, reservationOf } from '../ledger/contract-sales.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

const DAY_MS = 24 * 3_600_000;
let context: TestContext;
let database: Database;
beforeAll(async () => {
  context = await openTestContext();
  database = connectDatabase(context.databaseUrl);
});
afterAll(async () => {
  await database.$disconnect();
  await context.stop();
});

test('users of whom nothing was written for so many days are erased, page by page; who buys in a sale that is not settled is not', async () => {
  for (const id of ['ended', 'open']) await context.ledger.createSale(newSale(id), 'ann');
  await context.ledger.writeOrders([1, 2, 3, 4, 5].map((n) => reservationOf('ended', n)));
  await context.ledger.writeOrders([5, 6].map((n) => reservationOf('open', n)));
  for (const n of [1, 2, 3, 4, 5]) await context.ledger.stepOrder(`ended-${n}`, n === 1 ? 'paid' : 'cancelled');
  await context.ledger.sealSale('ended');
  await context.ledger.settleSale('ended');
  const buyers = async (sale: string) =>
    (await database.saleOrder.findMany({ where: { saleId: sale }, orderBy: { id: 'asc' } })).map(({ userId }) =>
      userId.replace(/[0-9a-f]{32}/, ''),
    );
  const { log, heard } = listeningLog();

  const late = startRetention({ context, days: 30, log, now: () => Date.now() + 31 * DAY_MS, pagePauseMs: 1, page: 2 });
  onTestFinished(() => late.close());
  await eventually(async () =>
    expect(await buyers('ended')).toEqual(['erased-', 'erased-', 'erased-', 'erased-', 'u5']),
  );
  expect(await buyers('open')).toEqual(['u5', 'u6']);
  expect(new Set((await database.saleOrder.findMany()).map(({ userId }) => userId)).size).toBe(6);
  expect(await database.operatorAction.count({ where: { verb: 'erase-user', actor: 'test' } })).toBe(4);
  expect(heard.filter(({ level }) => level === 'warn')).toEqual([]);
});

test('before that nobody is', async () => {
  await context.ledger.createSale(newSale('fresh'), 'ann');
  await context.ledger.writeOrders([reservationOf('fresh', 9)]);
  await context.ledger.stepOrder('fresh-9', 'cancelled');
  await context.ledger.sealSale('fresh');
  await context.ledger.settleSale('fresh');
  const due = async (days: number) => {
    const users: string[] = [];
    let place: Awaited<ReturnType<typeof context.ledger.inactiveUsers>>['next'];
    do {
      const page = await context.ledger.inactiveUsers({ before: Date.now() + days * DAY_MS, limit: 1, place });
      users.push(...page.users);
      place = page.next;
    } while (place);
    return users;
  };
  expect(await due(-1)).toEqual([]);
  expect(await due(1)).toEqual(['u9']);
});
