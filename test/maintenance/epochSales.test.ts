import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startExpirer } from '../../src/orders/expirer.ts';
import { startSaleAuditor } from '../../src/maintenance/saleAuditor.ts';
import { startEpoch, type Epoch } from '../../src/maintenance/epoch.ts';
import { createSaleResponse } from '../../src/maintenance/saleTampering.ts';
import { settleSale } from '../../src/maintenance/settleSale.ts';
import { suspectNow } from '../../src/operator/restore/behind.ts';
import { auditSale } from '../../src/operator/sale/audit.ts';
import { readEpoch } from '../../src/store/epoch.ts';
import { EPOCH_KEY } from '../../src/store/keys.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { follow, heldBy } from '../../src/store/sales.ts';
import { openedSale, reserve, reserveTees, writeLog } from '../orders/saleStage.ts';
import { callCli } from '../support/call.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog, type HeardLine } from '../support/log.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { backupLedger, backupRedis, forgetSale } from './epochStage.ts';

let context: TestContext;
let epoch: Epoch | undefined;
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await epoch?.close();
  await context.redis.flushall();
});
afterAll(() => context?.stop());

function start(): HeardLine[] {
  const { log, heard } = listeningLog();
  epoch = startEpoch({ context, log, owner: 'worker', everyMs: 20, momentMs: 200 });
  return heard;
}
const heldFor = (id: string) => context.redis.hget(saleKeys(id).state, 'held');
const codes = async (id: string, ...users: string[]) =>
  (
    await reserve(
      context,
      id,
      users.map((userId) => ({ userId, sku: 'tee', quantity: 1 })),
    )
  ).map(({ code }) => code);
const rain = (...words: string[]) =>
  callCli(words, { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl }).done;

test('[R14] nobody reserves in a sale that an older database does not know, earlier buyers hear their answer, and it goes on when the database knows it', async () => {
  const heard = start();
  await openedSale(context, 'unknown');
  await reserveTees(context, 'unknown', 1);
  const bringBack = await backupLedger(context, 'unknown');
  await forgetSale(context, 'unknown');
  await eventually(async () => expect(await heldFor('unknown')).toBe('unknown_to_ledger'));
  expect(await codes('unknown', 'u1', 'eve')).toEqual(['1', '-7']);
  await eventually(() => expect(epoch!.held()).toEqual(new Map([['unknown', 'unknown_to_ledger']])));
  await expect(epoch!.ask()).rejects.toThrow('1 held: unknown; see what differs with: rain restore check');
  const why =
    'Redis has the sale unknown, and the ledger does not know it: PostgreSQL came back from an older backup, or is another one; nothing is sold in it meanwhile; its buyers are listed by rain restore check unknown';
  for (const verb of ['audit', 'show', 'orders'])
    expect((await rain('sale', verb, 'unknown')).stderr).toContain(`id: ${why}`);
  expect(await settleSale(context, 'unknown', { title: '' }, {})).toEqual({ outcome: 'not_due' });
  await bringBack();
  await eventually(async () => expect(await heldFor('unknown')).toBeNull());
  expect(await codes('unknown', 'u1', 'eve')).toEqual(['1', '0']);
  expect(heard.filter(({ level }) => level !== 'info')).toMatchObject([
    {
      level: 'error',
      saleId: 'unknown',
      reason: 'unknown_to_ledger',
      msg: expect.stringContaining('rain restore check unknown') as string,
    },
    { level: 'warn', saleId: 'unknown', reason: 'unknown_to_ledger' },
  ]);
});

test('[R8] a sale that the database does not know is closed at its end, and keeps its keys', async () => {
  await openedSale(context, 'over');
  await reserveTees(context, 'over', 1);
  const { state, buyers } = saleKeys('over');
  await forgetSale(context, 'over');
  start();
  await eventually(async () => expect(await heldFor('over')).toBe('unknown_to_ledger'));
  await context.redis.hset(state, 'closesAt', 1);
  expect(await settleSale(context, 'over', { title: '' }, {})).toMatchObject({ outcome: 'not_balanced' });
  expect([await context.redis.hget(state, 'state'), await context.redis.pttl(buyers)]).toEqual(['closed', -1]);
});

/** A sale with an order that is paid in Redis, and waits for its payment in a database that has come back older. */
async function openPaid(id: string, holdMs?: number): Promise<void> {
  const { ledger, redis } = context;
  await openedSale(context, id, holdMs === undefined ? {} : { holdMs });
  await reserveTees(context, id, 2);
  await writeLog(context, id);
  const bringBack = await backupLedger(context, id);
  await ledger.stepOrder(`${id}-1`, 'paid');
  await follow(redis, id, [{ userId: 'u1', ordinal: 1, status: 'paid', toStock: true }]);
  start();
  await eventually(async () => expect((await readEpoch(redis)).comparedRunId).toBeDefined());
  await epoch!.close();
  await forgetSale(context, id);
  await bringBack();
  await redis.hset(EPOCH_KEY, 'counter', (await ledger.epoch()).counter + 1_000);
  epoch = undefined;
}

test('[R2] an order that is paid in Redis and waiting in an older database neither times out nor is sold again, until the shop reports it', async () => {
  const { ledger, redis } = context;
  await openPaid('paid', 300);
  // An audit or a time-out before the comparison would undo what is known.
  const { log } = listeningLog();
  const auditor = startSaleAuditor({ context, log, pauseMsMin: 10, quietMs: 20 });
  const expirer = startExpirer({ ledger, log, everyMs: 10, heldSales: () => epoch?.heldForSure()?.keys() });
  try {
    await eventually(async () => expect(await redis.exists(saleKeys('paid').auditor)).toBe(1));
    const heard = start();
    await eventually(async () => expect(await heldFor('paid')).toBe('ledger_behind'));
    await eventually(() => expect(heard.find(({ reason }) => reason === 'ledger_behind')).toBeDefined());
    expect((await rain('sale', 'show', 'paid')).stdout).toContain('Redis has later statuses of orders than the ledger');
    expect(await codes('paid', 'eve')).toEqual(['-7']);
    const statuses = async () => (await ledger.orders({ saleId: 'paid' }, 9)).map(({ status }) => status);
    expect(await statuses()).toEqual(['created', 'created']);
    expect((await heldBy(redis, 'paid', 'u1')).map(({ status }) => status)).toEqual(['paid']);
    const actions = await ledger.latestActions({ rainId: 'paid', limit: 5 });
    expect(actions.map(({ verb }) => verb)).toEqual(['load', 'create-sale']);

    expect(await ledger.stepOrder('paid-1', 'paid')).toMatchObject({ outcome: 'done' });
    await eventually(async () => expect(await heldFor('paid')).toBeNull());
    await eventually(async () => expect(await statuses()).toEqual(['paid', 'timed_out']));
    expect(await codes('paid', 'eve')).toEqual(['0']);
  } finally {
    await Promise.all([auditor.close(), expirer.close()]);
  }
});

test('[R2] nor does an audit undo it that began before the sale was held, and ends when the stores count as compared', async () => {
  const { ledger, redis } = context;
  await openPaid('slow');
  const audit = (await auditSale(context, 'slow'))!;
  expect(audit.untrue).toHaveLength(1);
  start();
  await eventually(async () => expect(suspectNow(await readEpoch(redis), await ledger.epoch())).toBeUndefined());
  const { log } = listeningLog();
  await createSaleResponse({ context, log, onTampering: 'pause' }).respond('slow', audit);
  expect((await heldBy(redis, 'slow', 'u1')).map(({ status }) => status)).toEqual(['paid']);
});

test('[R2] orders that an older Redis lacks are put back before the stores count as compared', async () => {
  const { redis } = context;
  await openedSale(context, 'older');
  await reserveTees(context, 'older', 1);
  const putBack = await backupRedis(redis);
  await reserveTees(context, 'older', 9, 2);
  await writeLog(context, 'older');
  await putBack();
  const heard = start();
  await eventually(async () => {
    const { runId, comparedRunId } = await readEpoch(redis);
    expect(comparedRunId).toBe(runId);
  });
  expect(await codes('older', 'u10', 'eve')).toEqual(['1', '-12']);
  expect(heard).toMatchObject([{ level: 'warn', saleId: 'older', putBack: 9, taken: 0 }]);
});

test('a sale that both stores know is never held, and a foreign hold in it is left to the audit', async () => {
  const heard = start();
  await openedSale(context, 'calm');
  await context.redis.hset(saleKeys('calm').state, 'held', 'gone fishing');
  const { counter } = await context.ledger.epoch();
  await eventually(async () => expect((await context.ledger.epoch()).counter).toBeGreaterThan(counter + 3));
  expect(await heldFor('calm')).toBe('gone fishing');
  expect([[...epoch!.held()], heard.filter(({ level }) => level !== 'info')]).toEqual([[], []]);
});
