import { findLostRains } from '../operator/lostRains.ts';
import type { OperatorContext } from '../operator/context.ts';

/** A rain is reported once so many checks in a row have missed it: while it is being loaded, the ledger has it before Redis. */
const CHECKS_MISSED = 2;

/** Each call checks all rains, and returns those that Redis has lost. */
export function createLostRainAlarm(context: OperatorContext): () => Promise<string[]> {
  let missed = new Map<string, number>();
  return async () => {
    missed = new Map((await findLostRains(context)).map((rainId) => [rainId, (missed.get(rainId) ?? 0) + 1]));
    return [...missed].filter(([, checks]) => checks >= CHECKS_MISSED).map(([rainId]) => rainId);
  };
}
