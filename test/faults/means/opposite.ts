import { Client } from 'pg';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from '../run.ts';

/**
 * PostgreSQL checks a waiting credit for a deadlock only once, so the cycle must be closed before. Not every try
 * succeeds.
 */
const TRIES_MAX = 6;
const TRY_MS_MAX = 2_500;

/**
 * Takes the locks of a credit in reverse order: first the rain's account, and when a credit waits for it, the users'
 * accounts, which that credit has locked. Its deadlock timeout is longer than the credit's, so PostgreSQL ends the
 * credit. Rolls everything back.
 * @returns the number of transactions that PostgreSQL has ended for a deadlock
 */
export async function deadlock({ databaseUrl, rainId, crowd }: Scene): Promise<number> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'opposite' });
  client.on('error', () => {});
  await client.connect();
  const deadlocks = async () =>
    Number(
      (await client.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')).rows[0]
        .deadlocks,
    );
  try {
    const before = await deadlocks();
    await client.query(`SET deadlock_timeout = '1min'; SET statement_timeout = ${TRY_MS_MAX}`);
    let since = 0;
    for (let tried = 0; tried < TRIES_MAX && since === 0; tried++) {
      await client.query('BEGIN');
      await lockInReverse(client, rainId, [...crowd.records.keys()]).catch(() => {});
      await client.query('ROLLBACK');
      // Sessions report their statistics with a delay.
      since = await eventually(async () => (await deadlocks()) - before || false, { timeoutMs: 1_200 }).catch(() => 0);
    }
    return since;
  } finally {
    await client.end();
  }
}

async function lockInReverse(client: Client, rainId: string, userIds: readonly string[]): Promise<void> {
  await client.query(
    'SELECT 1 FROM "Account" WHERE "id" = $1 OR starts_with("id", $1 || \'/\') ORDER BY "id" FOR NO KEY UPDATE',
    [`rain:${rainId}`],
  );
  const waitsForUs =
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pg_backend_pid() = ANY (pg_blocking_pids(pid))";
  await eventually(async () => (await client.query(waitsForUs)).rowCount! > 0, { timeoutMs: TRY_MS_MAX, everyMs: 5 });
  // Most of these accounts are as new as the credit, so they are waited for by inserting them, which the triggers
  // forbid.
  await client.query('SET LOCAL session_replication_role = replica');
  await client.query(
    `INSERT INTO "Account" ("id", "kind") SELECT 'user:' || unnest($1::text[]), 'user' ON CONFLICT DO NOTHING`,
    [userIds],
  );
}
