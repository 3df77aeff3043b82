import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { examineDatabase, type DatabaseFacts } from '../../../src/ledger/databaseCheck.ts';
import { migrate, readMigrations } from '../../../src/ledger/migrate.ts';
import { checkDatabase } from '../../../src/operator/doctor/database.ts';
import { startDatabase } from '../../support/servers/database.ts';
import { startPglite, type TestPglite } from '../../support/servers/pglite.ts';
import { execute, postgresInstalled, startPostgres, type TestPostgres } from '../../support/servers/postgres.ts';

const verdicts = (facts: DatabaseFacts) =>
  Object.fromEntries(checkDatabase(facts).map(({ name, verdict }) => [name, verdict]));
const ALL_WELL = {
  version: 'ok',
  kind: 'ok',
  migrations: 'ok',
  privileges: 'ok',
  ownership: 'ok',
  connections: 'ok',
  fsync: 'ok',
  synchronous_commit: 'ok',
  times: 'ok',
  clock: 'ok',
};
/** As a superuser. */
const WELL_BUT_OWNED = { ...ALL_WELL, ownership: 'warning' };

describe('the embedded database', () => {
  let database: TestPglite;
  beforeAll(async () => {
    database = await startPglite();
  });
  afterAll(() => database.stop());

  test('is recognised, with a warning against real money', async () => {
    const facts = await examineDatabase(database.url);
    expect(verdicts(facts)).toEqual({
      version: 'ok',
      kind: 'warning',
      migrations: 'ok',
      privileges: 'ok',
      times: 'ok',
      clock: 'ok',
    });
    expect(checkDatabase(facts).find(({ name }) => name === 'kind')).toMatchObject({
      found: expect.stringContaining('PGlite') as string,
      advice: expect.stringContaining('DATABASE_URL') as string,
    });
  });
});

describe.skipIf(!postgresInstalled)('a PostgreSQL server', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres(['fsync=on']);
  });
  afterAll(() => server?.stop());

  test('as it should be, but for the role: it owns the tables', async () => {
    const url = await server.newDatabase();
    await migrate(url);
    expect(verdicts(await examineDatabase(url))).toEqual(WELL_BUT_OWNED);
  });

  test('migrations: none, one pending, one edited since, one never finished', async () => {
    const url = await server.newDatabase();
    expect(checkDatabase(await examineDatabase(url)).find(({ name }) => name === 'migrations')).toMatchObject({
      verdict: 'wrong',
      found: `missing: ${readMigrations()
        .map(({ name }) => name)
        .join(', ')}`,
      advice: 'run: rain migrate',
    });
    await migrate(url);
    const more = { name: '29990101000000_more', sql: '', checksum: '' };
    expect((await examineDatabase(url, [...readMigrations(), more])).migrations).toEqual({ missing: [more.name] });
    await execute(url, `UPDATE "_prisma_migrations" SET "checksum" = 'another'`);
    expect(verdicts(await examineDatabase(url))).toMatchObject({ migrations: 'wrong' });
    expect((await examineDatabase(url)).migrations).toEqual({
      fault: expect.stringContaining('was edited after') as string,
    });
    await execute(url, `UPDATE "_prisma_migrations" SET "finished_at" = NULL`);
    expect((await examineDatabase(url)).migrations).toEqual({
      fault: expect.stringContaining('never finished') as string,
    });
  });

  test('a user without write privileges sees which ones are missing', async () => {
    const url = await server.newDatabase();
    await migrate(url);
    await execute(
      url,
      'CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader; GRANT INSERT, UPDATE ON "Rain" TO reader',
    );
    const facts = await examineDatabase(url.replace('postgres@', 'reader@'));
    expect(verdicts(facts)).toEqual({ ...ALL_WELL, privileges: 'wrong' });
    expect(checkDatabase(facts).find(({ name }) => name === 'privileges')!.advice).toBe(
      'run deploy/postgresql/grants.sql, or GRANT INSERT on "Campaign"; GRANT INSERT on "Portion"; GRANT INSERT on "Allocation"; GRANT INSERT on "Transfer"; GRANT INSERT on "OperatorAction"; GRANT INSERT on "Discard"; GRANT INSERT on "Reservation"; GRANT INSERT on "ReservedBudget"; GRANT UPDATE ("budgetCents") on "ReservedBudget"; GRANT UPDATE ("reservedCents") on "ReservedBudget"; GRANT INSERT on "Operator"; GRANT UPDATE ("role") on "Operator"; GRANT UPDATE ("passwordHash") on "Operator"; GRANT UPDATE ("epoch") on "Operator"; GRANT UPDATE ("disabledAt") on "Operator"; GRANT UPDATE ("totpSecret") on "Operator"; GRANT UPDATE ("totpStep") on "Operator"; GRANT UPDATE ("endedSessions") on "Operator"; GRANT INSERT on "OperatorToken"; GRANT UPDATE ("revokedAt") on "OperatorToken"; GRANT UPDATE ("lastUsedAt") on "OperatorToken"; GRANT UPDATE ("lastUsedFrom") on "OperatorToken"; GRANT INSERT on "RecoveryCode"; GRANT UPDATE ("endedAt") on "RecoveryCode"; GRANT INSERT on "Approval"; GRANT UPDATE ("decidedBy") on "Approval"; GRANT UPDATE ("decidedAt") on "Approval"; GRANT UPDATE ("isApproved") on "Approval"; GRANT UPDATE ("carriedOutAt") on "Approval"; GRANT UPDATE ("counter") on "StoreEpoch"; GRANT INSERT on "SaleItem"; GRANT INSERT on "SaleTopUp"; GRANT INSERT on "Sale"; GRANT UPDATE ("opensAt") on "Sale"; GRANT UPDATE ("closesAt") on "Sale"; GRANT UPDATE ("sealedAt") on "Sale"; GRANT UPDATE ("settledAt") on "Sale"; GRANT UPDATE ("status") on "SaleOrder"; GRANT UPDATE ("changedAt") on "SaleOrder"; GRANT INSERT on "UnfollowedOrder"; GRANT DELETE on "UnfollowedOrder"; GRANT UPDATE ("changedAt") on "UnfollowedOrder"; GRANT INSERT on "SaleRefusal"; GRANT INSERT on "Erasure"; GRANT INSERT on "Participant"; GRANT UPDATE ("name") on "Participant"; GRANT UPDATE ("department") on "Participant"; GRANT UPDATE ("userId") on "Participant"; GRANT UPDATE ("codeSalt") on "Participant"; GRANT UPDATE ("codeKey") on "Participant"; GRANT UPDATE ("addedAt") on "Participant"; GRANT UPDATE ("enteredAt") on "Participant"; GRANT UPDATE ("removedAt") on "Participant"; GRANT INSERT on "CampaignExclusion"; GRANT DELETE on "CampaignExclusion"; GRANT INSERT on "Theme"; GRANT DELETE on "Theme"; GRANT UPDATE ("title") on "Theme"; GRANT UPDATE ("colours") on "Theme"; GRANT UPDATE ("isDefault") on "Theme"; GRANT UPDATE ("changedAt") on "Theme"; GRANT INSERT on "ThemeFile"; GRANT DELETE on "ThemeFile"; GRANT UPDATE ("type") on "ThemeFile"; GRANT UPDATE ("bytes") on "ThemeFile"; GRANT UPDATE ("sha256") on "ThemeFile"; GRANT INSERT on "ItemPicture"; GRANT DELETE on "ItemPicture"; GRANT UPDATE ("keptAt") on "ItemPicture"; GRANT INSERT on "Greeting"; GRANT UPDATE ("sender") on "Greeting"; GRANT UPDATE ("blessing") on "Greeting"; GRANT UPDATE ("themeId") on "Greeting"; GRANT UPDATE ("prizes") on "Greeting"; GRANT UPDATE ("changedAt") on "Greeting"; GRANT INSERT on "Template"; GRANT DELETE on "Template"; GRANT UPDATE ("title") on "Template"; GRANT UPDATE ("rain") on "Template"; GRANT UPDATE ("changedAt") on "Template"; GRANT USAGE on sequence "OperatorAction_id_seq" to this user',
    );
  });

  test('commits that do not wait, and a server that is nearly full', async () => {
    const url = await server.newDatabase();
    await migrate(url);
    await execute(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
    const facts = await examineDatabase(url);
    expect(verdicts(facts)).toEqual({ ...WELL_BUT_OWNED, synchronous_commit: 'warning' });
    expect(facts.connections).toEqual({ max: 47, used: expect.any(Number) as number });
    expect(facts.connections.used).toBeGreaterThan(0);
    expect([39, 42, 46].map((used) => verdicts({ ...facts, connections: { max: 47, used } })['connections'])).toEqual([
      'ok',
      'warning',
      'wrong',
    ]);
    expect(verdicts({ ...facts, versionNumber: 110_022 })).toMatchObject({ version: 'wrong' });
    expect(verdicts({ ...facts, clockAheadMs: -40_000 })).toMatchObject({ clock: 'wrong' });
  });
});

test.skipIf(!postgresInstalled)('a server without fsync is no place for money', async () => {
  // As the one is at which the tests work, for their own speed.
  const database = await startDatabase();
  onTestFinished(() => database.stop());
  expect(verdicts(await examineDatabase(database.url))).toMatchObject({ fsync: 'wrong' });
});
