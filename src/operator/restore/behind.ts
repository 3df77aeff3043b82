import type { LedgerEpoch } from '../../ledger/epoch.ts';
import { COUNTER_AHEAD_MAX, type RedisEpoch } from '../../store/epoch.ts';

/** Which store is an older state than the other one; `foreign`: they were not used together, which is told before all else. */
export const BEHIND = ['foreign', 'ledger', 'redis'] as const;
export type Behind = (typeof BEHIND)[number];

/** Without a fault the counters differ by 1 after each step of the ledger, and by 2 if a worker died between its two writes. */
const REDIS_BEHIND_BY = 3;

/**
 * @param ledger after its step
 * @returns which store is older, or `compare` when that is unknown: Redis was restarted, or has no counter of ours
 */
export function suspect(redis: RedisEpoch, ledger: LedgerEpoch): Behind | 'compare' | undefined {
  if (redis.storeId !== undefined && redis.storeId !== ledger.storeId) return 'foreign';
  if (redis.counter === undefined) return 'compare';
  if (redis.counter - ledger.counter > COUNTER_AHEAD_MAX) return 'compare';
  // Redis gets a counter only after the ledger has it.
  if (ledger.counter <= redis.counter) return 'ledger';
  if (ledger.counter - redis.counter >= REDIS_BEHIND_BY) return 'redis';
  // Without a run id, restarts cannot be seen.
  return redis.runId === undefined || redis.runId === redis.comparedRunId ? undefined : 'compare';
}
