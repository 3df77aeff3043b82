import type { Database, Transaction } from './database.ts';

/** Carries what a dry run came to out of the transaction that it takes back. */
class TakenBack<T> extends Error {
  override name = 'TakenBack';
  readonly outcome: T;
  constructor(outcome: T) {
    super('a dry run: all of it is taken back');
    this.outcome = outcome;
  }
}

/**
 * All of `work` or nothing; of a dry run nothing, whatever it comes to. What would happen is not foretold but tried, by the very
 * statements, under the very keys and checks, so that a dry run cannot promise what the deed then refuses.
 */
export async function attempt<T>(database: Database, work: (book: Transaction) => Promise<T>, dryRun = false): Promise<T> {
  if (!dryRun) return database.$transaction(work);
  try {
    return await database.$transaction(async (book): Promise<T> => { throw new TakenBack(await work(book)); });
  } catch (error) {
    if (error instanceof TakenBack) return error.outcome as T;
    throw error;
  }
}
