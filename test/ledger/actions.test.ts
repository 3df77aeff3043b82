import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { ActionFilter } from '../../src/ledger/actions.ts';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { startDatabase } from '../support/servers/database.ts';
import { execute, postgresInstalled } from '../support/servers/postgres.ts';

const ACTIONS = 200_000;
const FIRST_AT = Date.UTC(2026, 0, 1);
const EVERY_MS = 60_000;
/** One action a minute: sign-ins of a hundred operators, and in the first days a few restores by one. */
const FILL = `INSERT INTO "OperatorAction" ("actor", "verb", "rainId", "details", "at")
  SELECT CASE WHEN n < 3000 AND n % 1000 = 0 THEN 'console:rare' ELSE 'console:op' || n % 100 END, CASE WHEN n < 3000 AND n % 1000 = 0 THEN 'restore' ELSE 'login' END,
    CASE WHEN n % 10 = 0 THEN 'rain' || n / 100 END, '{}', to_timestamp(${FIRST_AT / 1_000}) + n * interval '1 minute' FROM generate_series(0, ${ACTIONS - 1}) AS n;
  ANALYZE "OperatorAction"`;
const minute = (n: number) => FIRST_AT + n * EVERY_MS;

/** Fewer rows than anything that reads through the record would read. */
const ROWS_READ_MAX = 1_000;

test.skipIf(!postgresInstalled)(
  'a filter of the record of actions reads what it finds, also far back among very many',
  async () => {
    const { url, stop } = await startDatabase();
    onTestFinished(stop);
    await execute(url, FILL);
    const database = connectDatabase(url);
    const ledger = openLedger(database);
    const reader = new Client({ connectionString: url });
    await reader.connect();
    const read = async () => {
      // A session tells its statistics when it ends, at the latest.
      await database.$disconnect();
      await reader.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await reader.query<{ read: number }>(
        `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_user_tables WHERE relname = 'OperatorAction'`,
      );
      return rows[0]!.read;
    };
    try {
      const filters: [ActionFilter & { before?: bigint }, count: number][] = [
        [{}, 50],
        [{ verb: 'restore' }, 3],
        [{ verb: 'login' }, 50],
        [{ actor: 'console:rare' }, 3],
        [{ actor: 'nobody' }, 0],
        [{ rainId: 'rain7' }, 10],
        [{ since: minute(5_000), until: minute(5_010) }, 10],
        [{ since: minute(5_000), until: minute(50_000) }, 50],
        [{ since: minute(ACTIONS) }, 0],
        [{ until: minute(7) }, 7],
        [{ actor: 'console:op7', since: minute(1_000), until: minute(2_000) }, 10],
        [{ verb: 'restore', actor: 'console:op7' }, 0],
        [{ before: 101n }, 50],
        [{ before: 2_500n, verb: 'restore' }, 3],
      ];
      for (const [filter, count] of filters) {
        const before = await read();
        expect(await ledger.latestActions({ ...filter, limit: 50 }), inspect(filter)).toHaveLength(count);
        expect((await read()) - before, inspect(filter)).toBeLessThan(ROWS_READ_MAX);
      }
    } finally {
      await Promise.all([database.$disconnect(), reader.end()]);
    }
  },
);

test.skipIf(!postgresInstalled)(
  'pages of the record join without a gap, also where actions of one moment are cut in two',
  async () => {
    const { url, stop } = await startDatabase();
    onTestFinished(stop);
    // Actions of one transaction, and so of one time.
    await execute(
      url,
      `INSERT INTO "OperatorAction" ("actor", "verb", "details", "at") SELECT 'ann', 'login', '{}', to_timestamp(${FIRST_AT / 1_000}) + (n / 5) * interval '1 s' FROM generate_series(0, 22) AS n`,
    );
    const database = connectDatabase(url);
    onTestFinished(() => database.$disconnect());
    const ledger = openLedger(database);
    const ids: string[] = [];
    for (let before: bigint | undefined; ;) {
      const page = await ledger.latestActions({ limit: 3, verb: 'login', before });
      ids.push(...page.map(({ id }) => id));
      if (page.length < 3) break;
      before = BigInt(page.at(-1)!.id);
    }
    expect(ids).toEqual(Array.from({ length: 23 }, (_, i) => String(23 - i)));
    expect(await ledger.latestActions({ limit: 3, before: 0n })).toEqual([]);
    expect((await ledger.latestActions({ limit: 1, before: 99n }))[0]!.id, 'a number that no action has').toBe('23');
  },
);

const inspect = (filter: object) =>
  JSON.stringify(filter, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
