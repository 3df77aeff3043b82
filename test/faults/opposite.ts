import { Client } from 'pg';
import { eventually } from '../support/eventually.ts';
import type { Scene } from './run.ts';

/** In the swing of a rain the next credit is never far, ms. */
const MET_WITHIN_MS = 2_500;

/**
 * A session that takes the locks of a credit the other way round: the users' accounts, and when a credit waits for one of
 * them, the rain's, which that has. It is more patient than the credit, so that PostgreSQL ends the credit. In the end it
 * leaves everything as it was.
 * @returns how many transactions PostgreSQL has ended for a deadlock since
 */
export async function deadlock({ databaseUrl, rainId, crowd }: Scene): Promise<number> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'opposite' });
  client.on('error', () => {});
  await client.connect();
  const deadlocks = async () => Number((await client.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')).rows[0].deadlocks);
  try {
    const before = await deadlocks();
    await client.query("SET deadlock_timeout = '1min'; SET statement_timeout = '3s'");
    await client.query('BEGIN');
    await client.query(`INSERT INTO "Account" ("id", "kind") SELECT 'user:' || unnest($1::text[]), 'user' ON CONFLICT DO NOTHING`, [[...crowd.told.keys()]]);
    const waitsForUs = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pg_backend_pid() = ANY (pg_blocking_pids(pid))";
    await eventually(async () => (await client.query(waitsForUs)).rowCount! > 0, { timeoutMs: MET_WITHIN_MS, everyMs: 5 });
    await client.query('SELECT 1 FROM "Account" WHERE "id" = $1 FOR NO KEY UPDATE', [`rain:${rainId}`]);
    await client.query('ROLLBACK');
    return await eventually(async () => {
      const since = await deadlocks() - before;
      return since > 0 && since;
    }).catch(() => 0);
  } finally {
    await client.end();
  }
}
