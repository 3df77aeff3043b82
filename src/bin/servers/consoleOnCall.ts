import { createConsoleTally, tellConsole, type ConsoleTally } from '../../console/metrics.ts';
import { connectDatabase } from '../../ledger/database.ts';
import type { Config } from '../../runtime/config.ts';
import { startReadiness, type Part, type Readiness } from '../../runtime/health.ts';
import type { Logger } from '../../runtime/log.ts';
import { openRegistry, startMetricsServer, tellReadiness } from '../../runtime/metrics.ts';
import { connectRedis } from '../../runtime/redis.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';

/** What the one on call sees of a console. */
export interface ConsoleOnCall {
  readiness: Readiness;
  tally: ConsoleTally;
}

/**
 * Watches what the console is configured to stand on, on connections of its own: those of its work may be busy with it, and
 * the player's page alone needs neither.
 */
export async function openOnCall(config: Config, shutdown: Shutdown, log: Logger): Promise<ConsoleOnCall> {
  const parts: Part[] = [];
  if (config.REDIS_URL !== undefined) {
    const redis = connectRedis(config.REDIS_URL, { purpose: 'once', onError: () => {} });
    shutdown.onClose('redis of the health', () => redis.disconnect());
    parts.push({ name: 'redis', ask: () => redis.ping() });
  }
  if (config.DATABASE_URL !== undefined) {
    const database = connectDatabase(config.DATABASE_URL, { connectionsMax: 1 });
    shutdown.onClose('database of the health', () => database.$disconnect());
    parts.push({ name: 'database', ask: () => database.$queryRaw`SELECT 1` });
  }
  const readiness = startReadiness({ parts });
  shutdown.onClose('health', () => readiness.close());
  const tally = createConsoleTally();
  if (config.METRICS_PORT !== undefined) {
    const registry = openRegistry();
    tellReadiness(registry, readiness);
    tellConsole(registry, tally);
    const metrics = await startMetricsServer({ registry, host: config.METRICS_HOST, port: config.METRICS_PORT, readiness, log });
    shutdown.onClose('metrics', () => metrics.close());
  }
  return { readiness, tally };
}
