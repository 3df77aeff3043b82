import type { Database, Transaction } from './database.ts';

const ROLL_BACK = new Error('dry run: everything is rolled back');

/**
 * Runs `work` in one transaction. A dry run executes the same statements under the same keys and checks, and is rolled
 * back.
 */
export async function attempt<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
  dryRun = false,
): Promise<T> {
  if (!dryRun) return database.$transaction(work);
  let outcome: T;
  await database
    .$transaction(async (transaction) => {
      outcome = await work(transaction);
      throw ROLL_BACK;
    })
    .catch((error: unknown) => {
      if (error !== ROLL_BACK) throw error;
    });
  return outcome!;
}
