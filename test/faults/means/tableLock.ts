import { Client } from 'pg';
import { eventually } from '../../support/eventually.ts';

/** Blocks all postings, so that batches hang in the middle of their transaction. */
export interface TableLock {
  /** Resolves when this many sessions wait for the lock, or after `withinMs`. @returns how many wait */
  waiting(sessions: number, withinMs: number): Promise<number>;
  /** Names of the connections that wait, as soon as one does, or after `withinMs`. */
  whoWaits(withinMs: number): Promise<string[]>;
  release(): Promise<void>;
}

export async function lockTransfers(databaseUrl: string): Promise<TableLock> {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  await client.query('BEGIN; LOCK TABLE "Transfer" IN SHARE ROW EXCLUSIVE MODE');
  const names = async () =>
    (
      await client.query<{ name: string }>(
        "SELECT application_name AS name FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      )
    ).rows.map(({ name }) => name);
  const count = async () => (await names()).length;
  return {
    async waiting(sessions, withinMs) {
      return await eventually(async () => (await count()) >= sessions, { timeoutMs: withinMs }).then(count, count);
    },
    async whoWaits(withinMs) {
      return await eventually(async () => (await count()) > 0, { timeoutMs: withinMs }).then(names, names);
    },
    async release() {
      await client.query('ROLLBACK');
      await client.end();
    },
  };
}
