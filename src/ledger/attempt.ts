import type { Database, Transaction } from './database.ts';

/** Carries the outcome of a dry run out of the transaction that is rolled back. */
class DryRunRollback<T> extends Error {
  override name = 'DryRunRollback';
  readonly outcome: T;
  constructor(outcome: T) {
    super('dry run: everything is rolled back');
    this.outcome = outcome;
  }
}

/** Runs `work` in one transaction. A dry run executes the same statements under the same keys and checks, and is rolled back. */
export async function attempt<T>(database: Database, work: (transaction: Transaction) => Promise<T>, dryRun = false): Promise<T> {
  if (!dryRun) return database.$transaction(work);
  try {
    return await database.$transaction(async (transaction): Promise<T> => { throw new DryRunRollback(await work(transaction)); });
  } catch (error) {
    if (error instanceof DryRunRollback) return error.outcome as T;
    throw error;
  }
}
