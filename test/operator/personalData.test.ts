import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { blockCaller, liftCallerBlock } from '../../src/operator/block.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { eraseUser, exportUser } from '../../src/operator/personalData.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { expectBalanced } from '../ledger/claims.ts';
import { newSale, reservationOf } from '../ledger/contract-sales.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';

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

/** A rain that these users have won in, and whose wins are credited. */
async function won(id: string, users: readonly string[]): Promise<void> {
  const now = await redisNow(context.redis);
  expect(
    await createRain(context, {
      id,
      plan: { budget: '5.00', packets: 5 },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
    }),
  ).toMatchObject({ ok: true });
  await loadRain(context, id);
  await createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab(id, 0, [...users]);
  await context.ledger.credit(await claimLog(context, id));
}

async function settled(id: string): Promise<void> {
  await closeRain(context, id);
  expect(await settleRain(context, id, (await findRain(context.redis, id))!)).toEqual({ outcome: 'settled' });
}

/** All text that the ledger holds. */
async function everything(): Promise<string> {
  const tables = await Promise.all(
    [
      database.transfer,
      database.account,
      database.reservation,
      database.saleOrder,
      database.saleRefusal,
      database.operatorAction,
      database.discard,
      database.erasure,
    ].map((table) => (table as typeof database.transfer).findMany()),
  );
  return JSON.stringify(tables, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

test('a user is exported with everything, refused while something is open, and then erased; every sum and audit is as before', async () => {
  await won('spring', ['alice', 'bob']);
  await context.ledger.createSale(newSale('shop'), 'ann');
  await context.ledger.writeOrders([reservationOf('shop', 1, { userId: 'alice', ref: 'alice-at-home' })]);
  await context.ledger.refuseReservations([
    {
      saleId: 'shop',
      reservationId: 'shop-2',
      userId: 'alice',
      sku: 'tee',
      quantity: 1,
      reason: 'limit',
      detail: 'alice would hold 3 units',
    },
  ]);
  await context.ledger.record({
    actor: 'ann',
    verb: 'write-off',
    rainId: 'spring',
    details: { reason: 'lost', wins: ['spring-4 bob', 'spring-3 alice'] },
  });
  await context.ledger.discard({
    letterId: 'letter',
    rainId: 'spring',
    entry: '{"rainId":"spring","userId":"alice"}',
    deadReason: 'forged',
    reason: 'not ours',
    actor: 'ann',
  });
  await blockCaller(context, 'user', 'alice', { reason: 'looked like a script' });

  const exported = await exportUser(context, 'alice');
  expect(exported).toMatchObject({
    ok: true,
    data: {
      userId: 'alice',
      block: { reason: 'looked like a script' },
      claims: { spring: expect.stringContaining('"alice"') as string },
      complete: true,
      credits: [{ rainId: 'spring' }],
      orders: [{ id: 'shop-1', ref: 'alice-at-home' }],
      refusals: [{ reservationId: 'shop-2' }],
      actions: [{ verb: 'block' }, { verb: 'export-user', actor: 'test' }],
    },
  });
  const balance = (exported as { data: { balance: string } }).data.balance;

  const refusedBy = async (given: { balance?: string } = {}) => {
    const done = await eraseUser(context, 'alice', given);
    return done.ok ? done : done.refusals[0];
  };
  expect(await refusedBy()).toEqual({ field: 'id', reason: expect.stringContaining('blocked') as string });
  await liftCallerBlock(context, 'user', 'alice');
  expect(await refusedBy({ balance })).toEqual({
    field: 'id',
    reason: expect.stringContaining('the rain spring, which Redis has') as string,
  });
  // The keys of a rain have expired a day after its end.
  await settled('spring');
  await context.redis.flushall();
  expect(await refusedBy()).toEqual({
    field: 'balance',
    reason: expect.stringContaining(`holds ${balance}`) as string,
  });
  expect(await refusedBy({ balance: '5.01' })).toMatchObject({ field: 'balance' }); // more than the whole rain
  expect(await refusedBy({ balance })).toEqual({
    field: 'id',
    reason: expect.stringContaining('the sale shop') as string,
  });
  expect(await everything()).not.toContain('erased-');
  await context.ledger.stepOrder('shop-1', 'paid');
  await context.ledger.sealSale('shop');
  await context.ledger.settleSale('shop');

  const before = {
    report: (await auditRain(context, 'spring'))!.report,
    stock: await context.ledger.stock('shop'),
    money: await context.ledger.sumOfBalances(),
    bob: await context.ledger.balance('bob'),
  };
  expect(before.report).toMatchObject({ balanced: true });
  expect(await eraseUser(context, 'alice', { balance })).toEqual({ ok: true, rows: expect.any(Number) as number });
  const { report } = (await auditRain(context, 'spring'))!;
  expect({
    report,
    stock: await context.ledger.stock('shop'),
    money: await context.ledger.sumOfBalances(),
    bob: await context.ledger.balance('bob'),
  }).toEqual(before);
  await expectBalanced(database);
  expect(await context.ledger.settledFaults(10)).toEqual([]);

  const kept = await everything();
  expect(kept).not.toContain('alice');
  expect(kept).toContain('bob');
  const [erasure] = await database.erasure.findMany();
  expect((await database.operatorAction.findMany({ where: { verb: 'write-off' } }))[0]).toMatchObject({
    details: { reason: 'lost', wins: ['spring-4 bob', `spring-3 ${erasure!.pseudonym}`] },
  });
  expect(erasure).toMatchObject({ userId: null, pseudonym: expect.stringMatching(/^erased-[0-9a-f]{32}$/) as string });
  expect((await context.ledger.orders({ saleId: 'shop' }))[0]).toMatchObject({
    userId: erasure!.pseudonym,
    status: 'paid',
  });
  expect((await database.transfer.findMany({ where: { userId: erasure!.pseudonym } }))[0]).toMatchObject({
    creditAccountId: `user:${erasure!.pseudonym}`,
    rainId: 'spring',
  });
  expect((await database.operatorAction.findMany({ where: { verb: 'erase-user' } }))[0]).toMatchObject({
    actor: 'test',
    details: { pseudonym: erasure!.pseudonym },
  });

  expect(await eraseUser(context, 'alice')).toEqual({ ok: true, rows: 0 });
  expect(await database.erasure.count()).toBe(1);
});

test('of a campaign that goes on nobody is erased, since the limit of wins is by the id', async () => {
  await context.ledger.createCampaign(
    { id: 'season', title: 'season', winsPerUserMax: 1, shards: 1, rollOver: false },
    'ann',
  );
  const now = await redisNow(context.redis);
  for (const round of [1, 2])
    await createRain(context, {
      plan: { budget: '5.00', packets: 5 },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
      campaign: { id: 'season', round },
    });
  await loadRain(context, 'season.1');
  await createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab('season.1', 0, ['carol']);
  await context.ledger.credit(await claimLog(context, 'season.1'));
  await settled('season.1');
  await context.redis.flushall();
  const balance = '1.00';
  const found = await eraseUser(context, 'carol', { balance });
  const held = /holds ([\d.]+)/.exec(found.ok ? '' : found.refusals[0]!.reason)?.[1];
  expect(await eraseUser(context, 'carol', { balance: held ?? balance })).toMatchObject({
    ok: false,
    refusals: [{ field: 'id', reason: expect.stringContaining('the rain season.2') as string }],
  });
});

test('[R12] an id that nobody can have is refused', async () => {
  expect(await eraseUser(context, '')).toMatchObject({ ok: false, refusals: [{ field: 'id' }] });
  expect(await exportUser(context, 'a\nb')).toMatchObject({ ok: false, refusals: [{ field: 'id' }] });
});

test('[R14] what was written stays written: no update by hand, no erasure that keeps the id or chooses its pseudonym', async () => {
  const [transfer] = await database.transfer.findMany({ where: { kind: 'credit' } });
  await expect(
    database.$executeRaw`UPDATE "Transfer" SET "userId" = 'eve', "creditAccountId" = 'user:eve' WHERE "id" = ${transfer!.id}`,
  ).rejects.toThrow('append-only');
  await expect(
    database.$executeRaw`UPDATE "SaleOrder" SET "userId" = 'erased-00000000000000000000000000000000'`,
  ).rejects.toThrow('cannot change');
  await expect(database.$executeRaw`UPDATE "OperatorAction" SET "details" = '{}'`).rejects.toThrow('append-only');
  await expect(
    database.$executeRaw`INSERT INTO "Erasure" ("pseudonym", "userId") VALUES ('bob', 'bob')`,
  ).rejects.toThrow();
  await expect(
    database.$executeRaw`INSERT INTO "Erasure" ("pseudonym") VALUES ('erased-00000000000000000000000000000000')`,
  ).rejects.toThrow('names the id of a user');
  await expect(database.$executeRaw`DELETE FROM "Erasure"`).rejects.toThrow('append-only');
});
