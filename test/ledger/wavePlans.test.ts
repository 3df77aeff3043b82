import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { migrate } from '../../src/ledger/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { startDatabase, type TestDatabase } from '../support/servers/database.ts';
import { postgresInstalled, startPostgres } from '../support/servers/postgres.ts';
import { tamper } from '../support/servers/plain-sql.ts';
import { newSale, reservationOf, startClock } from './contract-sales.ts';

const WAVE = 2_000;
const PAGE = 100;

/**
 * A server of its own: while somebody connects to any database of a server, or PostgreSQL itself looks at tables, scans
 * read again what has become dead. An ANALYZE of PostgreSQL's own would also teach the planner.
 */
async function startAlone(): Promise<TestDatabase> {
  const own = await startPostgres(['autovacuum=off']);
  const url = await own.newDatabase();
  await migrate(url);
  return { url, stop: () => own.stop() };
}

let server: TestDatabase;
beforeAll(async () => {
  startClock();
  server = await (postgresInstalled ? startAlone() : startDatabase());
});
afterAll(() => server?.stop());

/** Due orders of the sale `wave`. */
const insert = (
  from: number,
  to: number,
) => `INSERT INTO "SaleOrder" ("id", "saleId", "userId", "sku", "quantity", "priceCents", "reservedAt", "payBy")
  SELECT 'wave-' || n, 'wave', 'u' || n, 'tee', 1, 1990, now() - interval '61 seconds', now() - interval '1 second' FROM generate_series(${from}, ${to}) AS n`;

/**
 * Entries of an index that statements have read since, by a connection that has ended: only then are its counts
 * complete.
 */
async function entriesRead(index: string, work: (ledger: Ledger) => Promise<void>): Promise<number> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const counted = async (what: string) =>
    Number(
      (
        await client.query<{ n: string }>(`SELECT ${what} AS n FROM pg_stat_user_indexes WHERE indexrelname = $1`, [
          index,
        ])
      ).rows[0]!.n,
    );
  const before = await counted('idx_tup_read');
  const database = connectDatabase(server.url);
  try {
    await work(openLedger(database));
    await database.$disconnect();
    await eventually(async () =>
      expect(
        (
          await client.query(
            `SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = current_database() AND pid <> pg_backend_pid()`,
          )
        ).rowCount,
      ).toBe(0),
    );
    return (await counted('idx_tup_read')) - before;
  } finally {
    await client.end();
  }
}

test.skipIf(!postgresInstalled)(
  'the last order of a sale costs what the first does, while the planner thinks that nobody has ordered',
  async () => {
    const entries = await entriesRead('SaleOrder_saleId_userId_ref_key', async (own) => {
      await own.createSale(newSale('rush', { items: [{ sku: 'tee', units: WAVE, price: '19.90' }] }), 'ann');
      for (let at = 1; at < WAVE; at += PAGE)
        await own.writeOrders(Array.from({ length: PAGE }, (_, i) => reservationOf('rush', at + i)));
    });
    // Otherwise each batch may read all orders before it: 21,000.
    expect(entries / WAVE).toBeLessThan(3);
  },
);

test.skipIf(!postgresInstalled)(
  'a wave costs the same per order when the planner thinks that no order waits',
  async () => {
    const database = connectDatabase(server.url);
    const ledger = openLedger(database);
    await ledger.createSale(newSale('wave', { items: [{ sku: 'tee', units: 3 * WAVE, price: '19.90' }] }), 'ann');
    // The planner learns this: a table full of orders that are over and followed.
    await tamper(server.url, insert(1, WAVE));
    await ledger.expireOrders(WAVE);
    await ledger.markFollowed(await ledger.unfollowedOrders('wave', WAVE));
    await tamper(server.url, 'VACUUM "SaleOrder"', 'ANALYZE "SaleOrder"', insert(WAVE + 1, 2 * WAVE));
    await database.$disconnect();
    const expiring = await entriesRead('SaleOrder_payBy_created_idx', async (own) => {
      for (let at = 0; at < WAVE; at += PAGE) expect(await own.expireOrders(PAGE)).toBe(PAGE);
    });
    const unfollowed: Awaited<ReturnType<Ledger['unfollowedOrders']>> = [];
    const marking = await entriesRead('UnfollowedOrder_saleId_changedAt_idx', async (own) => {
      for (let at = 0; at < WAVE; at += PAGE) {
        const page = await own.unfollowedOrders('wave', PAGE);
        unfollowed.push(...page);
        await own.markFollowed(page);
      }
      expect((await own.orderCounts('wave')).unfollowed).toBe(0);
    });
    expect(unfollowed).toHaveLength(WAVE);
    // Otherwise each page may read all that wait: 30,000 and 80,000.
    expect([expiring, marking].map((entries) => entries / WAVE)).toEqual([
      expect.toSatisfy((each: number) => each < 5),
      expect.toSatisfy((each: number) => each < 5),
    ]);
  },
);

test.skipIf(!postgresInstalled)('so does each step of single orders, and of a batch of them', async () => {
  const entries = await entriesRead('SaleOrder_payBy_created_idx', async (own) => {
    await tamper(server.url, insert(2 * WAVE + 1, 2 * WAVE + WAVE / 2));
    const ids = (from: number) => Array.from({ length: PAGE }, (_, i) => `wave-${2 * WAVE + from + i}`);
    for (let at = 1; at < WAVE / 2; at += PAGE) {
      await own.payFreeOrders(ids(at));
      expect(await own.stepOrder(ids(at)[0]!, 'paid')).toMatchObject({ outcome: 'done' });
      expect(
        await own.cancelOrders(ids(at).map((orderId, i) => ({ orderId, userId: `u${2 * WAVE + at + i}` }))),
      ).toEqual(new Set());
    }
    expect((await own.orderCounts('wave')).created).toBe(0);
  });
  expect(entries / (WAVE / 2)).toBeLessThan(5);
});

test('no statement is compiled: of a batch of thousands the compiler would take half the time', async () => {
  const database = connectDatabase(server.url);
  expect(await database.$queryRaw`SHOW jit`).toEqual([{ jit: 'off' }]);
  await database.$disconnect();
});
