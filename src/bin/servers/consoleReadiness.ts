import { createConsoleCounters, registerConsoleMetrics, type ConsoleCounters } from '../../console/metrics.ts';
import { connectDatabase } from '../../ledger/database.ts';
import type { Config } from '../../platform/config.ts';
import { openReadiness, type Part, type Readiness } from '../../platform/telemetry/health.ts';
import type { Lifecycle } from '../../platform/process/lifecycle.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import { openRegistry, startMetricsServer, registerReadiness } from '../../platform/telemetry/metrics.ts';
import { connectRedis } from '../../platform/redis/connect.ts';

/** Readiness and metrics of a console. */
interface ConsoleReadiness {
  readiness: Readiness;
  counters: ConsoleCounters;
}

/**
 * Watches Redis and the database, as far as they are configured, on its own connections, because the others may be busy. The
 * player's page alone needs neither.
 * @throws when the port of the metrics is taken
 */
export async function openConsoleReadiness(config: Config, log: Logger, lifecycle: Lifecycle): Promise<ConsoleReadiness> {
  const parts: Part[] = [];
  if (config.REDIS_URL !== undefined) {
    const redis = connectRedis(config.REDIS_URL, { purpose: 'once', onError: () => {} });
    lifecycle.onClose('redis', () => redis.disconnect());
    parts.push({ name: 'redis', ask: () => redis.ping() });
  }
  if (config.DATABASE_URL !== undefined) {
    const database = connectDatabase(config.DATABASE_URL, { connectionsMax: 1 });
    lifecycle.onClose('database', () => database.$disconnect());
    parts.push({ name: 'database', ask: () => database.$queryRaw`SELECT 1` });
  }
  const readiness = await openReadiness({ parts });
  lifecycle.onClose('readiness', () => void readiness.close());
  const counters = createConsoleCounters();
  if (config.METRICS_PORT !== undefined) {
    const registry = openRegistry();
    registerReadiness(registry, readiness);
    registerConsoleMetrics(registry, counters);
    const metrics = await startMetricsServer({ registry, host: config.METRICS_HOST, port: config.METRICS_PORT, readiness, log });
    lifecycle.onClose('metrics', () => metrics.close());
  }
  return { readiness, counters };
}
