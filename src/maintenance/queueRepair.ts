import { repairQueue, type QueueFault } from '../credit/queueRepair.ts';
import type { CreditQueue } from '../credit/queue.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { reportingFault, throttled, type Logger } from '../platform/telemetry/log.ts';

interface QueueRepairOptions {
  redis: RedisClient;
  queues: readonly Pick<CreditQueue, 'name' | 'toKey'>[];
  log: Logger;
  everyMs?: number;
}

/** A repeated finding is reported as often, per queue. */
const REPORT_MS = 600_000;

/** Keeps anybody who can write to Redis from stopping the queues for longer than a few seconds. */
export function startQueueRepair({ redis, queues, log, everyMs = 2_000 }: QueueRepairOptions): Loop {
  const failing = new Set<string>();
  const reports = new Map(
    queues.map(({ name }) => [
      name,
      throttled<readonly QueueFault[]>((found) => {
        log.error(
          { queue: name, found },
          'somebody else has written to the queue in Redis and kept its workers from their jobs; it was put right; find out who can write to Redis',
        );
      }, REPORT_MS),
    ]),
  );
  return startLoop(async () => {
    for (const queue of queues) {
      const found = await reportingFault(failing, queue.name, () => repairQueue(redis, queue), {
        began: (error) =>
          log.warn({ queue: queue.name, error: String(error) }, 'the queue cannot be checked, will try again'),
        over: () => log.info({ queue: queue.name }, 'the queue can be checked again'),
      });
      if (found && found.length > 0) reports.get(queue.name)!(found);
    }
    return everyMs;
  });
}
