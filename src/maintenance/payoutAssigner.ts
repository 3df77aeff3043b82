import { liveRains } from '../store/rains.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';

interface PayoutAssignerOptions {
  redis: RedisClient;
  /** Finds out who keeps this rain's money, and takes it on where nobody does yet. */
  meet: (rainId: string) => Promise<void>;
  log: Logger;
  everyMs?: number;
}

/**
 * Takes on the rains that are loaded, before the first win of theirs is to be paid: by then it is known whether all processes
 * agree on who pays, while there is time to mend it. A rehearsal pays nobody.
 */
export function startPayoutAssigner({ redis, meet, log, everyMs = 1_000 }: PayoutAssignerOptions): Loop {
  let met: ReadonlySet<string> = new Set();
  let failing = false;

  async function round(): Promise<number> {
    const now = new Set<string>();
    try {
      const rains = [...await liveRains(redis)].filter(([, { rehearsal }]) => !rehearsal);
      for (const [rainId] of rains) {
        if (!met.has(rainId)) await meet(rainId);
        now.add(rainId);
      }
      failing = false;
    } catch (error) {
      // Whoever pays the first win asks again.
      if (!failing) log.warn({ error: String(error) }, 'cannot find out who pays the loaded rains, will try again');
      failing = true;
    }
    // Only what is live is remembered [R10].
    met = failing ? new Set([...met, ...now]) : now;
    return everyMs;
  }
  return startLoop(round);
}
