import type { LedgerEpoch } from '../../ledger/epoch.ts';
import { COUNTER_AHEAD_MAX, type RedisEpoch } from '../../store/epoch.ts';
import type { HoldReason } from '../../store/holds.ts';

/**
 * Which store is an older state than the other one; `foreign`: they were not used together, which is told before all
 * else.
 */
export const BEHIND = ['foreign', 'ledger', 'redis'] as const;
export type Behind = (typeof BEHIND)[number];

/**
 * Without a fault the counters differ by 1 after each step of the ledger, and by 2 if a worker died between its two
 * writes.
 */
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

/**
 * The same between two steps, as somebody sees it who does not step the counter; a Redis without a counter tells
 * nothing.
 */
export function suspectNow(redis: RedisEpoch, ledger: LedgerEpoch): Behind | 'compare' | undefined {
  return redis.counter === undefined ? undefined : suspect(redis, { ...ledger, counter: ledger.counter + 1 });
}

/** Which store is the older one, by the reason for which a rain is held. */
export const SIDE: Record<HoldReason, Behind> = {
  unknown_to_ledger: 'ledger',
  ledger_behind: 'ledger',
  redis_behind: 'redis',
};

/** @param reasons for which rains are held */
export function behindText(behind: Behind, reasons: Iterable<HoldReason>): string {
  if (behind === 'foreign') return 'Redis was used with another database';
  // The counters show a wrong database for a moment only; the rains that it does not know stay.
  const doubt =
    behind === 'ledger' && [...reasons].includes('unknown_to_ledger') ? ', or not its own: check DATABASE_URL' : '';
  return `${behind === 'ledger' ? 'the database' : 'Redis'} is an older state than the other store${doubt}`;
}
