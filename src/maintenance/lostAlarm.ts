/**
 * A rain or sale is reported once so many checks in a row have missed it: while it is being loaded, the ledger has it
 * before Redis.
 */
const CHECKS_MISSED = 2;

/**
 * @param find the ids of those that Redis seems to have lost
 * @returns each call checks all of them, and returns those that Redis has lost
 */
export function createLostAlarm(find: () => Promise<string[]>): () => Promise<string[]> {
  let missed = new Map<string, number>();
  return async () => {
    missed = new Map((await find()).map((id) => [id, (missed.get(id) ?? 0) + 1]));
    return [...missed].filter(([, checks]) => checks >= CHECKS_MISSED).map(([id]) => id);
  };
}
