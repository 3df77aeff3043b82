import { createConsoleTally, tellConsole, type ConsoleTally } from '../../console/metrics.ts';
import { connectDatabase } from '../../ledger/database.ts';
import type { Config } from '../../runtime/config.ts';
import { openReadiness, type Part, type Readiness } from '../../runtime/health.ts';
import type { Logger } from '../../runtime/log.ts';
import { openRegistry, startMetricsServer, tellReadiness } from '../../runtime/metrics.ts';
import { connectRedis } from '../../runtime/redis.ts';

/** What the one on call sees of a console. */
export interface ConsoleOnCall {
  readiness: Readiness;
  tally: ConsoleTally;
  close(): Promise<void>;
}

/**
 * Watches what the console is configured to stand on, on connections of its own: those of its work may be busy with it, and
 * the player's page alone needs neither.
 * @throws when the metrics' port is taken
 */
export async function openOnCall(config: Config, log: Logger): Promise<ConsoleOnCall> {
  const parts: Part[] = [];
  const closers: (() => unknown)[] = [];
  if (config.REDIS_URL !== undefined) {
    const redis = connectRedis(config.REDIS_URL, { purpose: 'once', onError: () => {} });
    closers.push(() => redis.disconnect());
    parts.push({ name: 'redis', ask: () => redis.ping() });
  }
  if (config.DATABASE_URL !== undefined) {
    const database = connectDatabase(config.DATABASE_URL, { connectionsMax: 1 });
    closers.push(() => database.$disconnect());
    parts.push({ name: 'database', ask: () => database.$queryRaw`SELECT 1` });
  }
  const readiness = await openReadiness({ parts });
  closers.push(() => void readiness.close());
  const tally = createConsoleTally();
  const close = async () => void await Promise.all(closers.map((end) => end()));
  if (config.METRICS_PORT !== undefined) {
    const registry = openRegistry();
    tellReadiness(registry, readiness);
    tellConsole(registry, tally);
    try {
      const metrics = await startMetricsServer({ registry, host: config.METRICS_HOST, port: config.METRICS_PORT, readiness, log });
      closers.push(() => metrics.close());
    } catch (error) {
      await close();
      throw error;
    }
  }
  return { readiness, tally, close };
}
