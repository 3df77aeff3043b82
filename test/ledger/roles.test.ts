import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { examineDatabase } from '../../src/ledger/databaseCheck.ts';
import { migrate } from '../../src/ledger/migrate.ts';
import { createRain } from '../../src/operator/create.ts';
import { checkDatabase } from '../../src/operator/doctor/database.ts';
import { loadRain } from '../../src/operator/load.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { execute, postgresInstalled, startPostgres, type TestPostgres } from '../support/servers/postgres.ts';
import { claimOf, expectBalanced, newRain } from './claims.ts';

const read = (name: string) => readFileSync(new URL(`../../deploy/postgresql/${name}.sql`, import.meta.url), 'utf8');

/** The roles of deploy/postgresql: one owns and migrates, the servers use the other. */
describe.skipIf(!postgresInstalled)('the role of the servers', () => {
  let server: TestPostgres;
  let context: TestContext;
  let database: Database;
  const urlOf = (role: string) => `postgres://${role}@127.0.0.1:${server.port}/rain`;

  beforeAll(async () => {
    server = await startPostgres(['fsync=on']);
    // CREATE DATABASE wants to be alone.
    for (const statement of read('roles').split(';\n').filter((text) => text.trim() !== '')) await execute(urlOf('postgres').replace(/rain$/, 'postgres'), statement);
    await migrate(urlOf('rain_owner'));
    await execute(urlOf('rain_owner'), read('grants'));
    context = await openTestContext(async () => ({ url: urlOf('rain'), stop: async () => {} }));
    database = connectDatabase(urlOf('rain'));
  });
  afterAll(async () => {
    await database?.$disconnect();
    await context?.stop();
    await server?.stop();
  });

  test('runs a rain from its creation to its settlement, with a top-up', async () => {
    const now = await redisNow(context.redis);
    const created = await createRain(context, { id: 'modest', plan: { budget: '5.00', packets: 5 }, opensAt: now - 1_000, closesAt: now + 600_000 });
    expect(created).toMatchObject({ ok: true });
    expect(await loadRain(context, 'modest')).toMatchObject({ ok: true });
    expect(await topUpRain(context, 'modest', { budget: '2.00', packets: 2 })).toMatchObject({ ok: true });
    await createGrabEngine(context.redis, (fault) => { throw fault; }).grab('modest', 0, ['ann', 'bob']);
    const claims = await claimLog(context, 'modest');
    expect(await context.ledger.credit(claims)).toEqual([{ outcome: 'posted' }, { outcome: 'posted' }]);
    await closeRain(context, 'modest');
    expect(await settleRain(context, 'modest', (await findRain(context.redis, 'modest'))!)).toEqual({ outcome: 'settled' });
    await expectBalanced(database);
  });

  test('asks wallets, discards, keeps campaigns and operators', async () => {
    const { ledger } = context;
    await ledger.createCampaign({ id: 'season', title: 'season', winsPerUserMax: 1, shards: 2, rollOver: false }, 'ann');
    await ledger.createRain(newRain('asked', 100n), 'ann');
    expect(await ledger.assignPayout('asked', 'webhook')).toBe('webhook');
    expect(await ledger.reserve([claimOf('asked', 0)])).toEqual([{ outcome: 'reserved' }]);
    expect(await ledger.credit([claimOf('asked', 0)])).toEqual([{ outcome: 'posted' }]);
    const letter = { letterId: 'l', rainId: 'asked', entry: '', deadReason: 'refused', reason: 'closed', actor: 'ann' };
    expect(await ledger.discard({ ...letter, claim: { redPacketId: 'asked-p1', userId: 'u1', claimedCents: 2n, allocatedCents: 2n } })).toMatchObject({ outcome: 'returned' });
    expect(await ledger.reschedule('asked', { opensAt: 1, closesAt: 2 }, { actor: 'ann', verb: 'schedule' })).toBe(true);
    expect(await ledger.staff.add({ name: 'ann', role: 'viewer', passwordHash: 'scrypt$a$b$c$d$e' }, 'ann')).toBe(true);
    expect(await ledger.staff.addToken('ann', { hash: 'a'.repeat(64), label: 'x' }, 'ann')).toBe(true);
    expect(await ledger.staff.setPassword('ann', 'scrypt$b$b$c$d$e', 'ann')).toBe(true);
    expect(await ledger.staff.disable('ann', 'ann')).toBe(true);
    await expectBalanced(database);
  });

  test('has exactly the rights that the doctor asks for, and no warning', async () => {
    const findings = checkDatabase(await examineDatabase(urlOf('rain')));
    expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    const owner = checkDatabase(await examineDatabase(urlOf('rain_owner')));
    expect(owner.filter(({ verdict }) => verdict !== 'ok')).toMatchObject([{ name: 'ownership', verdict: 'warning', advice: expect.stringContaining('deploy/postgresql') as string }]);
  });

  test('[R8] cannot change a balance, a promise or what was written, nor switch off what refuses it', async () => {
    await context.ledger.createRain(newRain('firm', 100n), 'ann');
    await context.ledger.credit([claimOf('firm', 0, { userId: 'thief' })]);
    for (const sql of [
      `UPDATE "Account" SET "balanceCents" = "balanceCents" + 5000 WHERE "id" = 'user:thief'`, `INSERT INTO "Account" VALUES ('user:other', 'user', 5000)`, 'DELETE FROM "Account"',
      'ALTER TABLE "Account" DISABLE TRIGGER ALL', 'SET session_replication_role = replica', 'DELETE FROM "Transfer"', 'TRUNCATE "Transfer"', 'SELECT update_balances()',
      `UPDATE "Rain" SET "seed" = 'mine'`, `UPDATE "Portion" SET "seed" = 'mine'`, `UPDATE "OperatorAction" SET "actor" = 'eve'`, 'DROP TABLE "Discard"',
      'CREATE TRIGGER mine AFTER INSERT ON "Transfer" EXECUTE FUNCTION update_balances()', 'DELETE FROM "_prisma_migrations"',
    ]) {
      await expect(execute(urlOf('rain'), sql), sql).rejects.toThrow(/permission denied|must be owner/);
    }
    expect(await context.ledger.balance('thief')).toBe(1n);
  });

  test('[R8] with a right on accounts from before still changes none, not by a trigger of its own either', async () => {
    await execute(urlOf('rain_owner'), 'GRANT INSERT, UPDATE, DELETE ON "Account" TO rain');
    const client = new Client({ connectionString: urlOf('rain') });
    await client.connect();
    try {
      const change = `UPDATE public."Account" SET "balanceCents" = "balanceCents" + 5000 WHERE "id" = 'user:thief'`;
      await client.query(`CREATE TEMP TABLE mine (n int); CREATE FUNCTION pg_temp.pay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${change}; RETURN NULL; END $$;
        CREATE TRIGGER pay AFTER INSERT ON mine EXECUTE FUNCTION pg_temp.pay(); CREATE FUNCTION pg_temp.pg_trigger_depth() RETURNS int LANGUAGE sql AS 'SELECT 2'`);
      await expect(client.query(change)).rejects.toThrow('changes by a transfer only');
      await expect(client.query('INSERT INTO mine VALUES (1)')).rejects.toThrow('changes by a transfer only');
    } finally {
      await client.end();
      await execute(urlOf('rain_owner'), 'REVOKE INSERT, UPDATE, DELETE ON "Account" FROM rain');
    }
  });

  test('[R8] tables of its own do not hide the real ones from the checks: a rehearsal moves no real money', async () => {
    await context.ledger.createRain(newRain('play', 100n, { terms: { rehearsal: true } }), 'ann');
    await expect(execute(urlOf('rain'), `CREATE TEMP TABLE "Rain" (LIKE public."Rain"); CREATE TEMP TABLE "Account" (LIKE public."Account");
      INSERT INTO public."Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId")
      VALUES ('fund:play/1', 'fund', 'operator', 'rain:play', 100, 'play')`)).rejects.toThrow('a rehearsal moves');
  });
});
