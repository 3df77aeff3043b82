import type { Database, Transaction } from './database.ts';

/**
 * Runs `work` in one transaction in which the planner takes the index that has the order asked for, whatever it thinks
 * of the table. After a wave thousands of rows wait where it knows of none: each call would read and sort all of them
 * for its page.
 */
export function byIndex<T>(database: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return database.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`;
    return work(transaction);
  });
}
