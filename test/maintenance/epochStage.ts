import { Client } from 'pg';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { redisNow } from '../../src/store/rains.ts';
import { claimLog, type TestContext } from '../support/operatorContext.ts';

/** Ten packets of 1.00, open for ten minutes; `winners` take the first ones, and are credited. */
export async function openRain(context: TestContext, id: string, winners: readonly string[] = []): Promise<void> {
  const now = await redisNow(context.redis);
  const made = await createRain(context, {
    id,
    plan: { budget: '10.00', packets: 10, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
  });
  if (!made.ok) throw new Error(JSON.stringify(made.refusals));
  await loadRain(context, id);
  await winAndCredit(context, id, winners);
}

export async function winAndCredit(context: TestContext, id: string, users: readonly string[]): Promise<void> {
  if (users.length > 0) await grabAs(context, id, users);
  await context.ledger.credit(await claimLog(context, id));
}

export function grabAs({ redis }: Pick<TestContext, 'redis'>, id: string, users: readonly string[]) {
  return createGrabEngine(redis, (fault) => {
    throw fault;
  }).grab(id, 0, users);
}

/**
 * The content of Redis now, without leases. @returns puts it back, and removes what came since: Redis as an older state
 */
export async function backupRedis(redis: RedisClient): Promise<() => Promise<void>> {
  const saved = new Map<string, Buffer>();
  for (const key of await redis.keys('*')) if (!key.includes('lease')) saved.set(key, (await redis.dumpBuffer(key))!);
  return async () => {
    const work = redis.multi().flushall();
    for (const [key, value] of saved) work.restore(key, 0, value);
    await work.exec();
  };
}

/** Every account holds what its transfers sum to, in an older state as well. */
const BALANCES = `UPDATE "Account" SET "balanceCents" = coalesce((SELECT sum(CASE WHEN "creditAccountId" = "Account"."id" THEN "amountCents" ELSE -"amountCents" END)
  FROM "Transfer" WHERE "Account"."id" IN ("creditAccountId", "debitAccountId")), 0)`;

/**
 * Deletes these rows of the database, or changes them, as no user of the product can: the database as an older state.
 */
export async function rewriteLedger(
  { databaseUrl }: Pick<TestContext, 'databaseUrl'>,
  ...statements: readonly string[]
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      ['BEGIN', 'SET LOCAL session_replication_role = replica', ...statements, BALANCES, 'COMMIT'].join('; '),
    );
  } finally {
    await client.end();
  }
}

/** The database as it was before this rain was created. */
export function forgetRain(context: TestContext, id: string): Promise<void> {
  return rewriteLedger(
    context,
    `DELETE FROM "Transfer" WHERE "rainId" = '${id}'`,
    `DELETE FROM "Account" WHERE "id" = 'rain:${id}' OR "id" LIKE 'rain:${id}/%'`,
    `DELETE FROM "OperatorAction" WHERE "rainId" = '${id}'`,
    `DELETE FROM "Allocation" WHERE "rainId" = '${id}'`,
    `DELETE FROM "Rain" WHERE "id" = '${id}'`,
  );
}

const SALE_TABLES = ['Sale', 'SaleItem', 'SaleTopUp', 'SaleOrder', 'SaleRefusal', 'StockTransfer', 'StockAccount'];

/** The rows of this sale in the database now. @returns puts them back: a later state of the database after an older one */
export async function backupLedger(context: TestContext, id: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: context.databaseUrl });
  await client.connect();
  const texts = new Map<string, string[]>();
  for (const table of [...SALE_TABLES, 'OperatorAction']) {
    const column = table === 'Sale' ? 'id' : table === 'OperatorAction' ? 'rainId' : 'saleId';
    const { rows } = await client.query<{ row: string }>(
      `SELECT row_to_json("${table}")::text AS row FROM "${table}" WHERE "${column}" = $1`,
      [id],
    );
    texts.set(
      table,
      rows.map(({ row }) => row),
    );
  }
  await client.end();
  return () =>
    rewriteLedger(
      context,
      ...[...texts].flatMap(([table, rows]) =>
        rows.map(
          (row) =>
            `INSERT INTO "${table}" OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_record(NULL::"${table}", '${row.replaceAll("'", "''")}')`,
        ),
      ),
    );
}

/** The database as it was before this sale was created. */
export function forgetSale(context: Pick<TestContext, 'databaseUrl'>, id: string): Promise<void> {
  return rewriteLedger(
    context,
    `DELETE FROM "UnfollowedOrder" WHERE "orderId" LIKE '${id}-%'`,
    ...SALE_TABLES.map((table) => `DELETE FROM "${table}" WHERE "${table === 'Sale' ? 'id' : 'saleId'}" = '${id}'`),
    `DELETE FROM "OperatorAction" WHERE "rainId" = '${id}'`,
  );
}

/** Whom the list of a rain still holds: the ids of its packets. */
export async function packetsLeft({ redis }: Pick<TestContext, 'redis'>, key: string): Promise<string[]> {
  return (await redis.lrange(key, 0, -1)).map(
    (element) => (JSON.parse(element) as { redPacketId: string }).redPacketId,
  );
}
