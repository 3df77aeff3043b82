import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate, readMigrations } from '../../src/ledger/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { startEmptyDatabase, type TestDatabase } from '../support/servers/database.ts';
import { execute, postgresInstalled } from '../support/servers/postgres.ts';
import { migrationContract, rows } from './contract-migrate.ts';

const ALL = readMigrations().map(({ name }) => name);

/** A credit of this rain in one statement, for which everybody waits who wants the lock of the table. */
const creditOf = (packet: string) =>
  `INSERT INTO "Transfer" VALUES ('credit:${packet}', 'credit', 'rain:old', 'user:${packet}', 1, 'old', '${packet}', '${packet}')`;

migrationContract(postgresInstalled ? 'PostgreSQL' : 'PGlite', async () => {
  const made: TestDatabase[] = [];
  return {
    async empty() {
      made.push(await startEmptyDatabase());
      return made.at(-1)!.url;
    },
    stop: async () => {
      for (const database of made) await database.stop();
    },
  };
});

if (postgresInstalled) {
  describe('migrating while it is credited', () => {
    let made: TestDatabase;
    let url: string;
    beforeEach(async () => {
      made = await startEmptyDatabase();
      url = made.url;
      await migrate(
        url,
        readMigrations().filter(({ name }) => name < '20261213'),
      );
      await execute(
        url,
        `INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt") VALUES ('old', 't', 100, 2, '{}', 's', now(), now() + interval '1 s');
        INSERT INTO "Transfer" VALUES ('fund:old', 'fund', 'operator', 'rain:old', 100, 'old', NULL, NULL)`,
      );
    });
    afterEach(() => made.stop());

    it('[R10] waits for a long reader in short attempts, behind which no credit waits for long', async () => {
      const reader = new Client({ connectionString: url });
      await reader.connect();
      try {
        await reader.query('BEGIN; SELECT count(*) FROM "Transfer"');
        const migrated = migrate(url);
        const waits = `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE application_name = 'rain migrate' AND wait_event_type = 'Lock'`;
        await eventually(async () => expect(await rows(url, waits)).toEqual([{ waiting: 1 }]), { everyMs: 5 });
        const from = performance.now();
        await execute(url, creditOf('behind'));
        expect(performance.now() - from).toBeLessThan(1_000);
        await reader.query('ROLLBACK');
        expect(await migrated).toEqual(ALL.filter((name) => name >= '20261213'));
        await execute(url, creditOf('after'));
        expect(await rows(url, `SELECT "balanceCents"::int AS cents FROM "Account" WHERE "id" = 'rain:old'`)).toEqual([
          { cents: 98 },
        ]);
      } finally {
        await reader.end();
      }
    });

    it('gives up when the lock is not to be had for long, and leaves nothing of the migration', async () => {
      const reader = new Client({ connectionString: url });
      await reader.connect();
      try {
        await reader.query('BEGIN; SELECT count(*) FROM "Transfer"');
        await expect(migrate(url, readMigrations(), 0)).rejects.toMatchObject({ code: '55P03' });
        expect(await rows(url, "SELECT max(migration_name) < '20261213' AS none FROM _prisma_migrations")).toEqual([
          { none: true },
        ]);
      } finally {
        await reader.end();
      }
    });

    it('builds an index again whose building was cut', async () => {
      const index = {
        name: '29990101000000_index',
        sql: `CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "Transfer_cut" ON "Transfer"("amountCents") WHERE "userId" IS NOT NULL`,
        checksum: 'd'.repeat(64),
      };
      await execute(url, creditOf('one'));
      await execute(url, creditOf('two'));
      await expect(migrate(url, [...readMigrations(), index])).rejects.toMatchObject({ code: '23505' });
      const state = `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = '"Transfer_cut"'::regclass`;
      expect(await rows(url, state)).toEqual([{ valid: false }]);
      expect(await migrate(url, [...readMigrations(), { ...index, sql: index.sql.replace('UNIQUE ', '') }])).toEqual([
        index.name,
      ]);
      expect(await rows(url, state)).toEqual([{ valid: true }]);
    });
  });
} else {
  describe('migrating PostgreSQL', () => {
    it.skip('PostgreSQL is not installed on this machine', () => {});
  });
}
