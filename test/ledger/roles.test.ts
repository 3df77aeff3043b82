import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorker } from '../../src/bin/servers/worker.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { examineDatabase } from '../../src/ledger/databaseCheck.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { createRain } from '../../src/operator/create.ts';
import { checkDatabase } from '../../src/operator/doctor/database.ts';
import { loadRain } from '../../src/operator/load.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { execute, postgresInstalled } from '../support/servers/postgres.ts';
import { claimOf, expectBalanced, newRain } from './claims.ts';
import { deployed, startWithRoles } from './deployedRoles.ts';

/** The roles of deploy/postgresql: one owns and migrates, one is for console and command line, one for workers. */
describe.skipIf(!postgresInstalled)('the roles of the servers', () => {
  let server: Awaited<ReturnType<typeof startWithRoles>>;
  let context: TestContext;
  let database: Database;
  let workers: Database;
  const urlOf = (role: string) => server.urlOf(role);

  beforeAll(async () => {
    server = await startWithRoles();
    context = await openTestContext(async () => ({ url: urlOf('rain'), stop: async () => {} }));
    database = connectDatabase(urlOf('rain'));
    workers = connectDatabase(urlOf('rain_worker'));
  });
  afterAll(async () => {
    await Promise.all([database?.$disconnect(), workers?.$disconnect()]);
    await context?.stop();
    await server?.stop();
  });

  test('one runs a rain from its creation to its settlement, with a top-up', async () => {
    const now = await redisNow(context.redis);
    const created = await createRain(context, {
      id: 'modest',
      plan: { budget: '5.00', packets: 5 },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
    });
    expect(created).toMatchObject({ ok: true });
    expect(await loadRain(context, 'modest')).toMatchObject({ ok: true });
    expect(await topUpRain(context, 'modest', { budget: '2.00', packets: 2 })).toMatchObject({ ok: true });
    await createGrabEngine(context.redis, (fault) => {
      throw fault;
    }).grab('modest', 0, ['ann', 'bob']);
    const claims = await claimLog(context, 'modest');
    expect(await context.ledger.credit(claims)).toEqual([{ outcome: 'posted' }, { outcome: 'posted' }]);
    await closeRain(context, 'modest');
    expect(await settleRain(context, 'modest', (await findRain(context.redis, 'modest'))!)).toEqual({
      outcome: 'settled',
    });
    await expectBalanced(database);
  });

  test('one of a worker is enough for a worker process: it credits, audits and settles', async () => {
    const now = await redisNow(context.redis);
    expect(
      await createRain(context, {
        id: 'worked',
        plan: { budget: '5.00', packets: 5 },
        opensAt: now - 1_000,
        closesAt: now + 600_000,
      }),
    ).toMatchObject({ ok: true });
    expect(await loadRain(context, 'worked')).toMatchObject({ ok: true });
    await createGrabEngine(context.redis, (fault) => {
      throw fault;
    }).grab('worked', 0, ['ann', 'bob']);
    const { log, heard } = listeningLog();
    const worker = await startWorker(context.redisUrl, urlOf('rain_worker'), log, { signer: context.signer });
    try {
      await eventually(
        async () => expect(await context.ledger.book('worked')).toMatchObject({ credited: { count: 2 } }),
        { timeoutMs: 20_000 },
      );
      await closeRain(context, 'worked');
      await eventually(
        async () =>
          expect(await context.ledger.book('worked')).toMatchObject({ settledAt: expect.any(Number) as number }),
        { timeoutMs: 30_000 },
      );
    } finally {
      await worker.close();
    }
    expect(heard.filter(({ level }) => level !== 'info')).toEqual([]);
    await expectBalanced(database);
  });

  test('one of a worker asks wallets', async () => {
    const ledger = openLedger(workers);
    await context.ledger.createRain(newRain('called', 100n), 'ann');
    expect(await ledger.assignPayout('called', 'webhook')).toBe('webhook');
    expect(await ledger.reserve([claimOf('called', 0)])).toEqual([{ outcome: 'reserved' }]);
    expect(await ledger.credit([claimOf('called', 0)])).toEqual([{ outcome: 'posted' }]);
  });

  test('one makes themes and greetings, changes and removes them; a worker does not', async () => {
    const { ledger } = context;
    const file = (bytes: Uint8Array<ArrayBuffer>) => ({
      type: 'image/png' as const,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes,
    });
    const [logo, other] = [Uint8Array.of(1), Uint8Array.of(2)];
    await ledger.createRain(newRain('greeted', 100n), 'ann', false, { greeting: { sender: 'Ann' } });
    for (const title of ['Spring', 'Spring party'])
      expect(await ledger.setTheme({ id: 'spring', title, colours: {}, isDefault: true }, 'ann')).toBe(true);
    for (const bytes of [logo, other])
      expect(await ledger.setThemeFile('spring', 'logo', file(bytes), 'ann')).toBe(true);
    await expect(
      ledger.setThemeFile('spring', 'logo', { ...file(logo), bytes: other }, 'ann'),
      'bytes under the name of others',
    ).rejects.toThrow('ThemeFile_sha256');
    for (const theme of ['spring', 'none']) await ledger.setGreeting('greeted', { theme }, 'ann');
    expect(await ledger.greeting('greeted'), 'a theme that is gone at that moment').toEqual({});
    await ledger.setGreeting('greeted', { theme: 'spring' }, 'ann');
    for (const sql of [
      `INSERT INTO "Theme" ("id", "title") VALUES ('mine', '')`,
      `UPDATE "Greeting" SET "sender" = 'Eve'`,
      'DELETE FROM "ThemeFile"',
    ])
      await expect(execute(urlOf('rain_worker'), sql), sql).rejects.toThrow('permission denied');
    expect([
      await ledger.removeThemeFile('spring', 'logo', 'ann'),
      await ledger.removeThemeFile('spring', 'logo', 'ann'),
    ]).toEqual([true, false]);
    expect([await ledger.removeTheme('spring', 'ann'), await ledger.removeTheme('spring', 'ann')]).toEqual([
      true,
      false,
    ]);
    expect(await ledger.greeting('greeted')).toEqual({});
  });

  test('[R8] the sums that an audit keeps are summed by the database, and written by nobody', async () => {
    await context.ledger.createRain(newRain('summed', 100n), 'ann');
    await context.ledger.credit([claimOf('summed', 0, { userId: 'summed' })]);
    for (const role of ['rain', 'rain_worker'] as const) {
      // A table of its own, which the function must not take for the real one.
      await execute(
        urlOf(role),
        `CREATE TEMP TABLE "Transfer" AS SELECT 'user:summed' AS "creditAccountId", 999 AS "amountCents", now() - interval '1 h' AS "postedAt";
        SELECT keep_audited(ARRAY['user:summed'])`,
      );
      expect(await database.$queryRaw`SELECT "cents" FROM audited_accounts(ARRAY['user:summed'])`).toEqual([
        { cents: 0n },
      ]);
      for (const sql of [
        `INSERT INTO "AuditedAccount" VALUES ('user:bob', 1, now())`,
        'UPDATE "AuditedAccount" SET "cents" = 1',
        'DELETE FROM "AuditedAccount"',
      ])
        await expect(execute(urlOf(role), sql), sql).rejects.toThrow('permission denied');
    }
  });

  test('one saves templates, renames and removes them; a worker does not', async () => {
    const { ledger } = context;
    const rain = { plan: { budget: '5.00', packets: 5 }, durationMs: 60_000, terms: {} };
    expect(await ledger.saveTemplate({ id: 'party', title: 'Party' }, 'ann')).toBe('unknown');
    for (const title of ['Party', 'Annual party'])
      expect(await ledger.saveTemplate({ id: 'party', title, rain }, 'ann')).toBe('saved');
    for (const sql of [
      `INSERT INTO "Template" ("id", "title", "rain") VALUES ('mine', '', '{}')`,
      `UPDATE "Template" SET "title" = 'Eve'`,
      'DELETE FROM "Template"',
    ])
      await expect(execute(urlOf('rain_worker'), sql), sql).rejects.toThrow('permission denied');
    expect([await ledger.removeTemplate('party', 'ann'), await ledger.removeTemplate('party', 'ann')]).toEqual([
      true,
      false,
    ]);
  });

  test('[R14] a worker makes no rain and no packet, adds no operator, and reads no password', async () => {
    const now = await redisNow(context.redis);
    await createRain(context, {
      id: 'planned',
      plan: { budget: '5.00', packets: 5 },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
    });
    const to = (
      packet: string,
      cents: number,
    ) => `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId")
      VALUES ('credit:${packet}', 'credit', 'rain:planned', 'user:thief', ${cents}, 'planned', '${packet}', 'thief')`;
    for (const [sql, why] of [
      [to('planned-5', 100), 'was not allocated'],
      [to('planned-0', 501), 'was not allocated'],
      [to('gift', 100), 'was not allocated'],
      [`INSERT INTO "Allocation" VALUES ('planned', 1, 5, '\\x0000000000000064')`, 'permission denied'],
      [`UPDATE "Allocation" SET "amounts" = ''`, 'permission denied'],
      [
        `INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt") VALUES ('mine', '', 1, 1, '{}', '', now(), now() + interval '1 hour')`,
        'permission denied',
      ],
      [`INSERT INTO "Portion" VALUES ('mine', 'planned', 1, 100, 1, '{}', '', '')`, 'permission denied'],
      [`UPDATE "Rain" SET "budgetCents" = 1`, 'permission denied'],
      [`INSERT INTO "Discard" VALUES ('l', 'planned', '', '', '', '', NULL, NULL)`, 'permission denied'],
      [`INSERT INTO "Operator" VALUES ('eve')`, 'permission denied'],
      ['SELECT "passwordHash" FROM "Operator"', 'permission denied'],
      ['SELECT * FROM "OperatorToken"', 'permission denied'],
      ['SELECT * FROM "RecoveryCode"', 'permission denied'],
      ['SELECT * FROM "Approval"', 'permission denied'],
      [`UPDATE "Account" SET "balanceCents" = 5000`, 'permission denied'],
      [`INSERT INTO "Account" VALUES ('user:thief', 'user', 5000)`, 'permission denied'],
    ] as const)
      await expect(execute(urlOf('rain_worker'), sql), sql).rejects.toThrow(why);
    expect(await context.ledger.balance('thief')).toBe(0n);
  });

  test('one asks wallets, discards, keeps campaigns and operators', async () => {
    const { ledger } = context;
    await ledger.createCampaign(
      { id: 'season', title: 'season', winsPerUserMax: 1, shards: 2, rollOver: false },
      'ann',
    );
    await ledger.createRain(newRain('asked', 100n), 'ann');
    expect(await ledger.assignPayout('asked', 'webhook')).toBe('webhook');
    expect(await ledger.reserve([claimOf('asked', 0)])).toEqual([{ outcome: 'reserved' }]);
    expect(await ledger.credit([claimOf('asked', 0)])).toEqual([{ outcome: 'posted' }]);
    const letter = { letterId: 'l', rainId: 'asked', entry: '', deadReason: 'refused', reason: 'closed', actor: 'ann' };
    expect(
      await ledger.discard({
        ...letter,
        claim: { redPacketId: 'asked-p1', userId: 'u1', claimedCents: 2n, allocatedCents: 2n },
      }),
    ).toMatchObject({ outcome: 'returned' });
    expect(await ledger.reschedule('asked', { opensAt: 1, closesAt: 2 }, { actor: 'ann', verb: 'schedule' })).toBe(
      true,
    );
    expect(await ledger.staff.add({ name: 'ann', role: 'viewer', passwordHash: 'scrypt$a$b$c$d$e' }, 'ann')).toBe(true);
    expect(
      await ledger.staff.addToken('ann', { hash: 'a'.repeat(64), label: 'x', expiresAt: Date.now() + 60_000 }, 'ann'),
    ).toBe(true);
    expect(await ledger.staff.bearer('a'.repeat(64), '127.0.0.1')).toMatchObject({ name: 'ann' });
    expect(await ledger.staff.endToken('ann', 'a'.repeat(64), 'ann')).toBe(true);
    expect(
      await ledger.staff.setTotp('ann', { secret: 's'.repeat(96), step: 7, codes: ['c'.repeat(43)], epoch: 1 }, 'ann'),
    ).toBe(true);
    expect([
      await ledger.staff.acceptStep('ann', 8),
      await ledger.staff.useRecoveryCode('c'.repeat(43), 'ann'),
      await ledger.staff.resetTotp('ann', 'ann'),
    ]).toEqual([true, true, true]);
    expect(await ledger.staff.setRole('ann', 'operator', 'ann')).toBe(true);
    const asked = {
      id: 'waits',
      verb: 'create',
      rainId: 'big',
      request: { id: 'big' },
      amountCents: 2n,
      askedBy: 'console:ann',
      expiresAt: Date.now() + 60_000,
    } as const;
    const waiting = (await ledger.askApproval(asked, 1))!;
    expect([
      await ledger.decideApproval(waiting, 'console:ben', true),
      await ledger.carriedOut('waits'),
      await ledger.carriedOut('waits'),
    ]).toEqual([true, true, false]);
    await expect(execute(urlOf('rain'), `UPDATE "Approval" SET "request" = '{}'`)).rejects.toThrow('permission denied');
    expect(await ledger.staff.setPassword('ann', 'scrypt$b$b$c$d$e', 'ann')).toBe(true);
    expect(await ledger.staff.disable('ann', 'ann')).toBe(true);
    await expectBalanced(database);
  });

  test('each has exactly the rights that the doctor asks for, and the doctor names the role of a worker', async () => {
    const findings = checkDatabase(await examineDatabase(urlOf('rain')));
    expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    const worker = await examineDatabase(urlOf('rain_worker'));
    expect(worker.privilegesMissing.worker).toEqual([]);
    expect(checkDatabase(worker).filter(({ verdict }) => verdict !== 'ok')).toMatchObject([
      { name: 'privileges', verdict: 'warning', advice: expect.stringContaining('for workers only') as string },
    ]);
    const owner = checkDatabase(await examineDatabase(urlOf('rain_owner')));
    expect(owner.filter(({ verdict }) => verdict !== 'ok')).toMatchObject([
      { name: 'ownership', verdict: 'warning', advice: expect.stringContaining('deploy/postgresql') as string },
    ]);
  });

  test('[R8] cannot change a balance, a promise or what was written, nor switch off what refuses it', async () => {
    await context.ledger.createRain(newRain('firm', 100n), 'ann');
    await context.ledger.credit([claimOf('firm', 0, { userId: 'thief' })]);
    for (const sql of [
      `UPDATE "Account" SET "balanceCents" = "balanceCents" + 5000 WHERE "id" = 'user:thief'`,
      `INSERT INTO "Account" VALUES ('user:other', 'user', 5000)`,
      'DELETE FROM "Account"',
      'ALTER TABLE "Account" DISABLE TRIGGER ALL',
      'SET session_replication_role = replica',
      'DELETE FROM "Transfer"',
      'TRUNCATE "Transfer"',
      'SELECT update_balances()',
      `UPDATE "Rain" SET "seed" = 'mine'`,
      `UPDATE "Portion" SET "seed" = 'mine'`,
      `UPDATE "OperatorAction" SET "actor" = 'eve'`,
      'DROP TABLE "Discard"',
      'CREATE TRIGGER mine AFTER INSERT ON "Transfer" EXECUTE FUNCTION update_balances()',
      'DELETE FROM "_prisma_migrations"',
    ]) {
      await expect(execute(urlOf('rain'), sql), sql).rejects.toThrow(/permission denied|must be owner/);
    }
    expect(await context.ledger.balance('thief')).toBe(1n);
  });

  test('a worker where campaigns roll over may add what was left to the next round', async () => {
    await execute(urlOf('rain_owner'), deployed('grants').replaceAll('-- GRANT', 'GRANT'));
    await context.ledger.createRain(newRain('next', 100n), 'ann');
    const topUp = {
      id: 'roll-over:last',
      rainId: 'next',
      budgetCents: 50n,
      packets: 1,
      split: { budget: '0.50', packets: 1, split: { method: 'even' } },
      seed: 'cd'.repeat(32),
    };
    expect(await openLedger(workers).addTopUp(topUp, 'worker')).toMatchObject({ outcome: 'added' });
    await expectBalanced(database);
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

  test('[R8] one erases a user once all is settled, and a worker only where retention is set; with rights from before neither changes an id, not by a trigger of its own either', async () => {
    await context.ledger.createRain(newRain('gone', 1n), 'ann');
    await context.ledger.credit([claimOf('gone', 0, { userId: 'leaver' })]);
    await execute(urlOf('rain_owner'), deployed('grants').replaceAll('-- GRANT', 'GRANT'));
    expect(await context.ledger.eraseUser('leaver', 'ann')).toMatchObject({
      outcome: 'not_over',
      part: 'the rain gone',
    });
    await context.ledger.seal('gone');
    await context.ledger.settle('gone');
    await execute(
      urlOf('rain_owner'),
      'REVOKE INSERT ON "Erasure" FROM rain_worker; GRANT UPDATE ON "Transfer" TO rain',
    );
    await expect(openLedger(workers).eraseUser('leaver', 'worker')).rejects.toThrow('permission denied');
    const client = new Client({ connectionString: urlOf('rain') });
    await client.connect();
    try {
      const change = `UPDATE public."Transfer" SET "userId" = 'thief', "creditAccountId" = 'user:thief' WHERE "userId" = 'leaver'`;
      await client.query(`CREATE TEMP TABLE mine (n int); CREATE FUNCTION pg_temp.take() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${change}; RETURN NULL; END $$;
        CREATE TRIGGER take AFTER INSERT ON mine EXECUTE FUNCTION pg_temp.take(); CREATE FUNCTION pg_temp.takes_part_in(who TEXT) RETURNS text LANGUAGE sql AS 'SELECT NULL::text'`);
      await expect(client.query(change)).rejects.toThrow('append-only');
      await expect(client.query('INSERT INTO mine VALUES (1)')).rejects.toThrow('append-only');
    } finally {
      await client.end();
      await execute(
        urlOf('rain_owner'),
        'REVOKE UPDATE ON "Transfer" FROM rain; GRANT INSERT ON "Erasure" TO rain_worker',
      );
    }
    expect(await openLedger(workers).eraseUser('leaver', 'worker')).toMatchObject({ outcome: 'erased' });
    expect(await context.ledger.balance('leaver')).toBe(0n);
    await expectBalanced(database);
  });

  test('[R8] tables of its own do not hide the real ones from the checks: a rehearsal moves no real money', async () => {
    await context.ledger.createRain(newRain('play', 100n, { terms: { rehearsal: true } }), 'ann');
    await expect(
      execute(
        urlOf('rain'),
        `CREATE TEMP TABLE "Rain" (LIKE public."Rain"); CREATE TEMP TABLE "Account" (LIKE public."Account");
      INSERT INTO public."Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId")
      VALUES ('fund:play/1', 'fund', 'operator', 'rain:play', 100, 'play')`,
      ),
    ).rejects.toThrow('a rehearsal moves');
  });
});
