import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { auditAll, auditRain, isInOrder, type AuditedRain } from '../../src/operator/audit.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { findRain } from '../../src/store/rains.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { withoutAllocation, withoutTriggers } from '../support/withoutTriggers.ts';

let context: TestQueueContext;
let database: Database;
beforeAll(async () => {
  context = await openQueueContext();
  database = connectDatabase(context.databaseUrl);
});
afterAll(async () => {
  await database?.$disconnect();
  await context?.stop();
});

const audit = async (id: string) => (await auditRain(context, id))!;
const live = async (id: string) => (await findRain(context.redis, id))!;

test('[R5] a ledger row that a superuser deleted is credited again: the audit names the doubled balance, and nothing is settled', async () => {
  await context.wonRain('erased', 2);
  await context.credit();
  await withoutTriggers(database, `DELETE FROM "Transfer" WHERE "id" = 'credit:erased-1'`);
  await context.ledger.credit(await claimLog(context, 'erased'));
  const found = await audit('erased');
  expect(found.report).toMatchObject({ balanced: false, credited: '2.00' });
  expect(found.problems).toEqual([
    'the account rain:erased holds 7.00, and its transfers sum to 8.00: somebody has changed the ledger',
    `the account user:user-1 holds ${formatMoney(await context.ledger.balance('user-1'))}, and its transfers sum to ${formatMoney((await context.ledger.balance('user-1')) - 100n)}: somebody has changed the ledger`,
  ]);
  await closeRain(context, 'erased');
  expect(await settleRain(context, 'erased', await live('erased'))).toMatchObject({ outcome: 'does_not_add_up' });
  await withoutTriggers(
    database,
    `UPDATE "Account" SET "balanceCents" = "balanceCents" - 100 WHERE "id" = 'user:user-1'`,
  );
  expect((await audit('erased')).problems).toEqual([
    expect.stringContaining('rain:erased') as string,
    'all balances of the ledger sum to -1.00, expected 0.00: somebody has changed the ledger',
  ]);
  await withoutTriggers(
    database,
    `UPDATE "Account" SET "balanceCents" = "balanceCents" + 100 WHERE "id" = 'rain:erased'`,
  );
  expect(await settleRain(context, 'erased', await live('erased'))).toEqual({ outcome: 'settled' });
});

test('[R8] transfers that somebody writes by hand are found: credits that nobody won, and money beyond the budget', async () => {
  await context.wonRain('by-hand', 1);
  await withoutAllocation(context, 'by-hand');
  await context.credit();
  await database.$executeRaw`INSERT INTO "Transfer" VALUES ('credit:by-hand-5', 'credit', 'rain:by-hand', 'user:eve', 100, 'by-hand', 'by-hand-5', 'eve'),
    ('credit:made-up', 'credit', 'rain:by-hand', 'user:mallory', 300, 'by-hand', 'made-up', 'mallory'), ('fund:by-hand/7', 'fund', 'operator', 'rain:by-hand', 400, 'by-hand', NULL, NULL)`;
  const { report, problems } = await audit('by-hand');
  expect(report.balanced).toBe(false);
  expect(problems).toEqual([
    'credits of packets that were never allocated: 1',
    'the rain was funded with 14.00, and its budget is 10.00: somebody has changed the ledger',
    'by-hand-5 was credited to eve with 1.00 and is not in the claim log: Redis has lost the claim, or it was never won',
  ]);
});

test('[R10] the balances of all accounts are summed once for all rains, and again before anybody is accused', async () => {
  for (const id of ['one', 'two', 'three']) await context.wonRain(id, 1);
  await context.credit();
  let sums = 0;
  const counting = {
    ...context,
    ledger: { ...context.ledger, sumOfBalances: () => (sums++, context.ledger.sumOfBalances()) },
  };
  const rains: AuditedRain[] = [];
  for await (const rain of auditAll(counting, 'unsettled', 3)) rains.push(rain);
  expect(rains.slice(0, 3).map((rain) => 'audit' in rain && isInOrder(rain.audit))).toEqual([true, true, true]);
  const again = rains.filter((rain) => 'audit' in rain && rain.audit.problems.length > 0).length;
  expect(sums).toBe(1 + again);
  await withoutTriggers(database, `UPDATE "Account" SET "balanceCents" = "balanceCents" + 1 WHERE "id" = 'operator'`);
  try {
    expect((await auditRain(counting, 'one'))!.problems).toEqual([
      'all balances of the ledger sum to 0.01, expected 0.00: somebody has changed the ledger',
    ]);
    expect(sums).toBe(1 + again + 2);
  } finally {
    await withoutTriggers(database, `UPDATE "Account" SET "balanceCents" = "balanceCents" - 1 WHERE "id" = 'operator'`);
  }
});

test('a settled rain that does not add up, or has dead letters, is among them; so is a dead letter of a rain that the ledger does not have', async () => {
  const suspects = async () => {
    const found: AuditedRain[] = [];
    for await (const rain of auditAll(context, 'unsettled', 100)) if (rain.suspect) found.push(rain);
    return found.toSorted((a, b) => (a.rainId < b.rainId ? -1 : 1));
  };
  const settled = ['done-held', 'done-erased', 'done-letter', 'done-well'];
  for (const id of settled) {
    await context.wonRain(id, 2);
    await context.credit();
    await closeRain(context, id);
    expect(await settleRain(context, id, await live(id))).toEqual({ outcome: 'settled' });
  }
  expect(await suspects()).toEqual([]);
  await withoutTriggers(
    database,
    `UPDATE "Account" SET "balanceCents" = 5000 WHERE "id" = 'rain:done-held'`,
    `DELETE FROM "Transfer" WHERE "id" = 'credit:done-erased-1'`,
  );
  for (const rainId of ['done-letter', 'done-nowhere'])
    await context.queues.dead.add(
      'refused',
      { rainId, shard: 0, index: 0, entry: 'torn', reason: 'refused', detail: '' },
      { jobId: `${rainId}-0-letter` },
    );
  const found = await suspects();
  expect(found.map(({ rainId }) => rainId)).toEqual(['done-erased', 'done-held', 'done-letter', 'done-nowhere']);
  expect(found.every((rain) => 'fault' in rain || !isInOrder(rain.audit))).toBe(true);
  expect(found).toMatchObject([
    { audit: { report: { balanced: false } } },
    { audit: { report: { balanced: false } } },
    { audit: { queues: { dead: { count: 1 } } } },
    { fault: expect.any(Error) as Error },
  ]);
  for (const rainId of ['done-letter', 'done-nowhere']) await context.queues.dead.remove(`${rainId}-0-letter`);
  await withoutTriggers(database, `UPDATE "Account" SET "balanceCents" = 0 WHERE "id" = 'rain:done-held'`);
});
