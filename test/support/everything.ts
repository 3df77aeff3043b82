import { expect } from 'vitest';
import { connectDatabase } from '../../src/ledger/database.ts';
import type { TestContext } from './operatorContext.ts';

/** All that Redis and the book hold, as text: two of them are equal when nothing was written in between. */
export async function everything({ redis, databaseUrl }: TestContext): Promise<Record<string, string>> {
  const held: Record<string, string> = {};
  // A worker that runs beside it, or did, says that it does; such a mark runs out by itself.
  const keys = (await redis.keys('*')).filter((key) => !/:(stalled-check|lease|auditor)$/.test(key)).sort();
  for (const key of keys) held[key] = (await redis.dumpBuffer(key))?.toString('base64') ?? '';
  const database = connectDatabase(databaseUrl);
  try {
    const tables = await database.$queryRaw<
      { name: string }[]
    >`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`;
    expect(tables.length).toBeGreaterThan(5);
    for (const { name } of tables) {
      const rows = await database.$queryRawUnsafe<{ row: string }[]>(
        `SELECT t::text AS row FROM "${name}" AS t ORDER BY 1`,
      );
      held[`table ${name}`] = rows.map(({ row }) => row).join('\n');
    }
  } finally {
    await database.$disconnect();
  }
  return held;
}

/** Runs something that is to write nothing, and sees that it did not. */
export async function untouched<T>(context: TestContext, look: () => Promise<T>): Promise<T> {
  const before = await everything(context);
  const seen = await look();
  expect(await everything(context)).toEqual(before);
  return seen;
}
