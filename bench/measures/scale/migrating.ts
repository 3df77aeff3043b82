import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { migrate, readMigrations } from '../../../src/ledger/migrate.ts';
import { single } from '../../report/row.ts';
import type { Measure } from '../measure.ts';

/** Before accounts of shards: a book as a user of the version before has it. */
const BEFORE = '20261213';
/** Rows of one transaction while the book is filled. */
const FILLED_AT_ONCE = 500_000;
const PROBE_EVERY_MS = 10;

/** How long a credit waits at most while `rain migrate` works on a large book. */
export const migrating: Measure = {
  name: 'scale-migration',
  onlyWhenAsked: 'always',
  async rows({ size, postgres, say }) {
    const url = await postgres.newDatabase();
    await migrate(
      url,
      readMigrations().filter(({ name }) => name < BEFORE),
    );
    say(`${size.transfers} transfers`);
    await fill(url, size.transfers);
    say('migrations');
    const stopping = new AbortController();
    const probed = probe(url, stopping.signal);
    const from = performance.now();
    const applied = await migrate(url);
    const seconds = (performance.now() - from) / 1_000;
    stopping.abort();
    const { longestMs, credits } = await probed;
    const book = `a book of ${size.transfers.toLocaleString('en')} transfers`;
    return [
      single(`longest credit of ${credits} while ${applied.length} migrations work on ${book}`, 'ms', longestMs, {
        most: 1_000,
      }),
      single(`all migrations of ${book}`, 's', seconds),
    ];
  },
};

/**
 * As if rains of 10,000 packets had been credited. The indexes are built afterwards, which is faster; checks and
 * triggers are not what is measured.
 */
async function fill(url: string, transfers: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: indexes } = await client.query<{ drop: string; make: string }>(`SELECT
        coalesce('ALTER TABLE "Transfer" DROP CONSTRAINT ' || quote_ident(conname), 'DROP INDEX ' || indexrelid::regclass) AS drop,
        coalesce('ALTER TABLE "Transfer" ADD CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(pg_constraint.oid), pg_get_indexdef(indexrelid)) AS make
      FROM pg_index LEFT JOIN pg_constraint ON conindid = indexrelid AND contype = 'p' WHERE indrelid = '"Transfer"'::regclass`);
    await client.query(
      "SET session_replication_role = replica; SET synchronous_commit = off; SET maintenance_work_mem = '512MB'",
    );
    for (const { drop } of indexes) await client.query(drop);
    await client.query(
      `INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "shards", "opensAt", "closesAt")
      SELECT 'r' || n, 't', 10000, 10000, '{}', 's', 4, now(), now() + interval '1 s' FROM generate_series(0, $1) AS n`,
      [Math.floor(transfers / 10_000)],
    );
    for (let first = 0; first < transfers; first += FILLED_AT_ONCE) {
      await client.query(
        `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId")
        SELECT 'credit:' || packet, 'credit', 'rain:' || rain, 'user:' || who, 1, rain, packet, who
        FROM (SELECT 'r' || n / 10000 AS rain, 'r' || n / 10000 || '-' || n % 10000 AS packet, 'u' || n AS who FROM generate_series($1::bigint, $2::bigint) AS n) AS filled`,
        [first, Math.min(first + FILLED_AT_ONCE, transfers) - 1],
      );
    }
    for (const { make } of indexes) await client.query(make);
    await client.query('ANALYZE "Transfer"; SET session_replication_role = origin');
    await client.query(
      `INSERT INTO "Rain" ("id", "title", "budgetCents", "packets", "split", "seed", "opensAt", "closesAt") VALUES ('probe', 't', 1000000, 1000000, '{}', 's', now(), now() + interval '1 s')`,
    );
    await client.query(
      `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId") VALUES ('fund:probe', 'fund', 'operator', 'rain:probe', 1000000, 'probe')`,
    );
  } finally {
    await client.end();
  }
}

/** Credits one packet every few milliseconds. @returns the longest wait of one of them, ms */
async function probe(url: string, signal: AbortSignal): Promise<{ longestMs: number; credits: number }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  let [longestMs, credits] = [0, 0];
  try {
    for (; !signal.aborted; credits++) {
      const from = performance.now();
      await client.query(
        `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId")
        VALUES ('credit:probe-' || $1::int, 'credit', 'rain:probe', 'user:p' || $1::int, 1, 'probe', 'probe-' || $1::int, 'p' || $1::int)`,
        [credits],
      );
      longestMs = Math.max(longestMs, performance.now() - from);
      await sleep(PROBE_EVERY_MS);
    }
  } finally {
    await client.end();
  }
  return { longestMs, credits };
}
