import { isUnavailable, lastLine } from '../../platform/redis/unavailable.ts';
import { throttled, type Logger } from '../../platform/telemetry/log.ts';

const UNSERVED_EVERY_MS = 10_000;

/**
 * Logs the faults of Redis. While it is away, or does not serve, every command fails in the same way: one line in ten
 * seconds says how, and how many it stands for. Any other fault is one to look into, and has its stack.
 */
export function createRedisFaults(log: Logger): (error: unknown) => void {
  const report = throttled((error: unknown) => log.error({ err: error }, 'redis fault'));
  let faults = 0;
  const reportUnserved = throttled((error: unknown) => {
    log.error({ error: lastLine(error), faults }, 'redis fault');
    faults = 0;
  }, UNSERVED_EVERY_MS);
  return (error) => {
    if (!isUnavailable(error)) return report(error);
    faults++;
    reportUnserved(error);
  };
}
