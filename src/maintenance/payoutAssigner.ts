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
 * Gives each loaded rain a payout provider before its first win, so that a disagreement between processes shows in
 * time.
 */
export function startPayoutAssigner({ redis, meet, log, everyMs = 1_000 }: PayoutAssignerOptions): Loop {
  const assigned = new Set<string>();
  let failing = false;

  return startLoop(async () => {
    try {
      const live = await liveRains(redis);
      // Only live rains are remembered [R10].
      for (const rainId of assigned) if (!live.has(rainId)) assigned.delete(rainId);
      for (const [rainId, { rehearsal }] of live) {
        if (rehearsal || assigned.has(rainId)) continue;
        await meet(rainId);
        assigned.add(rainId);
      }
      failing = false;
    } catch (error) {
      // The credit worker assigns it again with the first win.
      if (!failing)
        log.warn({ error: String(error) }, 'cannot assign payout providers to the loaded rains, will try again');
      failing = true;
    }
    return everyMs;
  });
}
