import { liveRains } from '../store/rains.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';

interface PayoutAssignerOptions {
  redis: RedisClient;
  /** Finds the rain's payout provider, and assigns this process's provider when there is none. */
  meet: (rainId: string) => Promise<void>;
  log: Logger;
  everyMs?: number;
}

/**
 * Assigns a payout provider to each loaded rain before its first win has to be paid, so that a disagreement between processes shows
 * in time. A rehearsal pays nobody and is skipped.
 */
export function startPayoutAssigner({ redis, meet, log, everyMs = 1_000 }: PayoutAssignerOptions): Loop {
  let assigned: ReadonlySet<string> = new Set();
  let failing = false;

  return startLoop(async () => {
    const now = new Set<string>();
    try {
      for (const [rainId, { rehearsal }] of await liveRains(redis)) {
        if (rehearsal) continue;
        if (!assigned.has(rainId)) await meet(rainId);
        now.add(rainId);
      }
      failing = false;
    } catch (error) {
      // The credit worker assigns it again with the first win.
      if (!failing) log.warn({ error: String(error) }, 'cannot assign payout providers to the loaded rains, will try again');
      failing = true;
    }
    // Only live rains are remembered [R10].
    assigned = failing ? new Set([...assigned, ...now]) : now;
    return everyMs;
  });
}
