import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrate, MigrationError, readMigrations, type Migration } from '../../src/ledger/migrate.ts';
import { execute } from '../support/servers/postgres.ts';
import { openSchemaEngine } from './schemaEngine.ts';

const COMPILED = fileURLToPath(new URL('../../dist/ledger/migrate.js', import.meta.url));
const ALL = readMigrations().map(({ name }) => name);
const more: Migration = {
  name: '29990101000000_more',
  sql: 'CREATE TABLE "More" ("id" TEXT); INSERT INTO "More" VALUES (\'x\');',
  checksum: 'c'.repeat(64),
};

/** The rows that this statement gives. */
export async function rows<T>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

/** Another process, as a second start of the product would be; answers with what it applied. */
async function migrateElsewhere(url: string): Promise<string[]> {
  const program = `const { migrate } = await import(process.argv[1]); console.log(JSON.stringify(await migrate(process.argv[2])));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, COMPILED, url]);
  return JSON.parse(stdout) as string[];
}

/** A server of databases. */
export interface Server {
  /** The address of a database without any table. */
  empty(): Promise<string>;
  stop(): Promise<void>;
}

export function migrationContract(server: string, start: () => Promise<Server>): void {
  describe(`migrating ${server}`, () => {
    let started: Server;
    let url: string;
    beforeAll(async () => {
      started = await start();
    });
    beforeEach(async () => {
      url = await started.empty();
    });
    afterAll(() => started?.stop());

    it('migrates an empty database to schema.prisma, and Prisma agrees', async () => {
      expect(await migrate(url)).toEqual(ALL);
      const prisma = await openSchemaEngine(url);
      expect(await prisma.missing()).toMatch(/^-- This is an empty migration\.\s*$/);
      expect(await prisma.deploy()).toEqual([]);
      expect(await prisma.diagnose()).toEqual({
        editedMigrationNames: [],
        failedMigrationNames: [],
        hasMigrationsTable: true,
        history: null,
      });
      await execute(url, 'ALTER TABLE "Rain" DROP COLUMN "title"');
      expect(await prisma.missing()).toContain('ADD COLUMN     "title"');
      await prisma.close();
    });

    it('finds nothing to do where Prisma has migrated', async () => {
      const prisma = await openSchemaEngine(url);
      expect(await prisma.deploy()).toEqual(ALL);
      await prisma.close();
      expect(await migrate(url)).toEqual([]);
    });

    it('moves the old fields of rounds into their terms, and keeps them', async () => {
      const [before, after] = [readMigrations().filter(({ name }) => name < '20261127'), readMigrations()];
      await migrate(url, before);
      const rain = (id: string, columns: string, values: string) =>
        `INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt"${columns}) VALUES ('${id}', 't', 1, 1, '{}', 's', now(), now() + interval '1 s'${values})`;
      await execute(url, `INSERT INTO "Campaign" ("id", "title", "winsPerUserMax") VALUES ('c', 't', 3)`);
      await execute(url, rain('c.1', ', "campaignId", "round"', `, 'c', 1`));
      await execute(url, rain('c.2', ', "campaignId", "round", "excludeEarlierWinners"', `, 'c', 2, true`));
      await execute(url, rain('own', ', "rehearsal"', ', true'));
      await migrate(url, after);
      expect(await rows(url, 'SELECT "id", "terms", "rehearsal" FROM "Rain" ORDER BY "id"')).toEqual([
        { id: 'c.1', terms: {}, rehearsal: false },
        { id: 'c.2', terms: { excludeEarlierWinners: true }, rehearsal: false },
        { id: 'own', terms: {}, rehearsal: true },
      ]);
      await expect(execute(url, `UPDATE "Rain" SET "terms" = '{}'`)).rejects.toThrow(/decided when it is created/);
    });

    it('keeps the balances from before the database kept them, and the next transfer adds to them', async () => {
      await migrate(
        url,
        readMigrations().filter(({ name }) => name < '20261128'),
      );
      await execute(
        url,
        `INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt") VALUES ('old', 't', 100, 2, '{}', 's', now(), now() + interval '1 s');
        INSERT INTO "Account" VALUES ('operator', 'operator', -100), ('rain:old', 'rain', 70), ('user:ann', 'user', 30);
        INSERT INTO "Transfer" VALUES ('fund:old', 'fund', 'operator', 'rain:old', 100, 'old', NULL, NULL), ('credit:p', 'credit', 'rain:old', 'user:ann', 30, 'old', 'p', 'ann')`,
      );
      await migrate(url);
      await execute(
        url,
        `INSERT INTO "Transfer" VALUES ('credit:q', 'credit', 'rain:old', 'user:bob', 50, 'old', 'q', 'bob'), ('recycle:old', 'recycle', 'rain:old', 'operator', 20, 'old', NULL, NULL)`,
      );
      expect(await rows(url, 'SELECT "id", "balanceCents"::int AS cents FROM "Account" ORDER BY "id"')).toEqual([
        { id: 'operator', cents: -80 },
        { id: 'rain:old', cents: 0 },
        { id: 'user:ann', cents: 30 },
        { id: 'user:bob', cents: 50 },
      ]);
    });

    it('[R8] keeps what Redis did not know of orders, and orders go on along their steps', async () => {
      await migrate(
        url,
        readMigrations().filter(({ name }) => name < '20261204'),
      );
      await execute(
        url,
        `INSERT INTO "Sale" ("id", "title", "opensAt", "closesAt", "holdMs") VALUES ('old', 't', now() - interval '1 h', now() + interval '1 h', 60000);
        INSERT INTO "SaleItem" ("saleId", "sku", "ordinal", "units", "priceCents", "perOrderMax", "perUserMax") VALUES ('old', 'tee', 1, 9, 990, 1, 1);
        INSERT INTO "SaleOrder" ("id", "saleId", "userId", "sku", "quantity", "priceCents", "reservedAt", "payBy")
          SELECT 'old-' || n, 'old', 'u' || n, 'tee', 1, 990, date_trunc('second', now()), date_trunc('second', now()) + interval '60 s' FROM generate_series(1, 4) AS n;
        UPDATE "SaleOrder" SET "status" = 'paid', "followed" = "id" = 'old-3' WHERE "id" <> 'old-4'`,
      );
      await migrate(url);
      const unfollowed = () =>
        rows(url, 'SELECT "orderId", "saleId", "status"::text FROM "UnfollowedOrder" ORDER BY "orderId"');
      expect(await unfollowed()).toEqual([
        { orderId: 'old-1', saleId: 'old', status: 'paid' },
        { orderId: 'old-2', saleId: 'old', status: 'paid' },
      ]);
      await execute(
        url,
        `UPDATE "SaleOrder" SET "status" = 'refunded' WHERE "id" = 'old-2'; UPDATE "SaleOrder" SET "status" = 'timed_out' WHERE "id" = 'old-4';
        INSERT INTO "SaleOrder" ("id", "saleId", "userId", "sku", "quantity", "priceCents", "reservedAt", "payBy")
          VALUES ('old-5', 'old', 'u5', 'tee', 1, 990, date_trunc('second', now()), date_trunc('second', now()) + interval '60 s')`,
      );
      expect(await unfollowed()).toEqual([
        { orderId: 'old-1', saleId: 'old', status: 'paid' },
        { orderId: 'old-2', saleId: 'old', status: 'refunded' },
        { orderId: 'old-4', saleId: 'old', status: 'timed_out' },
      ]);
      expect(await rows(url, `SELECT "place"::text, "units"::int FROM "StockAccount" ORDER BY 1`)).toEqual([
        { place: 'available', units: 6 },
        { place: 'reserved', units: 1 },
        { place: 'shop', units: -9 },
        { place: 'sold', units: 2 },
      ]);
    });

    it('twice is harmless', async () => {
      await migrate(url);
      expect(await migrate(url)).toEqual([]);
    });

    it('from three processes at once applies each migration once', async () => {
      const applied = await Promise.all([migrateElsewhere(url), migrateElsewhere(url), migrate(url)]);
      expect(applied.flat().sort()).toEqual([...ALL].sort());
      expect(await rows(url, 'SELECT migration_name FROM _prisma_migrations')).toHaveLength(ALL.length);
    });

    it('goes on where an older version stopped, and leaves alone what a newer one added', async () => {
      await migrate(url);
      expect(await migrate(url, [...readMigrations(), more])).toEqual([more.name]);
      expect(await migrate(url)).toEqual([]);
      expect(await rows(url, 'SELECT * FROM "More"')).toEqual([{ id: 'x' }]);
    });

    it('says which applied migration was edited since', async () => {
      await migrate(url);
      const edited = readMigrations().map((migration) => ({ ...migration, checksum: 'e'.repeat(64) }));
      await expect(migrate(url, edited)).rejects.toThrow(MigrationError);
      await expect(migrate(url, edited)).rejects.toThrow(
        `migration ${ALL[0]} was edited after it was applied to this database`,
      );
    });

    it('that fails in the middle of a migration leaves nothing of it, and can be repeated', async () => {
      const broken = { ...more, sql: `${more.sql} SELECT nonsense();` };
      await expect(migrate(url, [...readMigrations(), broken])).rejects.toThrow('nonsense');
      expect(await rows(url, `SELECT to_regclass('"More"') AS "table"`)).toEqual([{ table: null }]);
      expect(await migrate(url, [...readMigrations(), more])).toEqual([more.name]);
    });

    it('stops where Prisma left a migration half-way', async () => {
      await migrate(url);
      await execute(url, 'UPDATE _prisma_migrations SET finished_at = NULL');
      await expect(migrate(url)).rejects.toThrow('was started but never finished');
    });
  });
}
