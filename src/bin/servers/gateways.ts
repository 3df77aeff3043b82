import { z } from 'zod';
import { ProcessPool } from '../../platform/process/processPool.ts';
import { processPoolMetrics } from '../../platform/process/processPoolMetrics.ts';
import { compiledEntry } from '../../platform/process/childProcess.ts';
import { openReadiness, type Readiness } from '../../platform/telemetry/health.ts';
import { createLog } from '../../platform/telemetry/log.ts';
import {
  openRegistry,
  startMetricsServer,
  registerMetric,
  registerReadiness,
  type MetricsRegistry,
} from '../../platform/telemetry/metrics.ts';
import { connectRedis } from '../../platform/redis/connect.ts';
import { createStarting } from '../../platform/process/starting.ts';
import type { Shutdown } from '../../platform/process/shutdown.ts';
import { configure } from '../context.ts';
import type { Environment } from '../terminal.ts';

export function registerProcessMetrics(registry: MetricsRegistry, serving: () => number): void {
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_gateway_processes',
    help: 'Gateway processes that are serving. If there are fewer than configured, one died and is being replaced',
    read: () => [{ value: serving() }],
  });
}

/**
 * Several gateways behind one port. This process distributes the connections and replaces a process that died; it
 * serves no player.
 */
export async function open(shutdown: Shutdown, environment: Environment, processes: number): Promise<{ url: string }> {
  const config = configure(environment, ['REDIS_URL', 'SIGNING_SECRET', 'JWT']);
  const log = createLog('gateways', config.LOG_LEVEL);
  const starting = createStarting(log);
  const pool = new ProcessPool({
    name: 'gateway',
    size: processes,
    entry: compiledEntry('bin/rain.js'),
    args: ['gateway'],
    facts: z.object({ url: z.string() }),
    onWaiting: starting.tell,
    log,
    // The processes close together, so their players also reconnect together.
    env: { GATEWAY_RECONNECTS_PER_SECOND: String(Math.ceil(config.GATEWAY_RECONNECTS_PER_SECOND / processes)) },
  });
  shutdown.onClose('gateways', (leftMs) => pool.close(leftMs));
  let readiness: Readiness | undefined;
  const own = openRegistry();
  if (config.METRICS_PORT !== undefined) {
    registerProcessMetrics(own, () => pool.members.length);
    const metrics = await startMetricsServer({
      registry: processPoolMetrics(() => pool.members, own),
      host: config.METRICS_HOST,
      port: config.METRICS_PORT,
      readiness: starting.reportUntil(() => readiness),
      log,
    });
    shutdown.onClose('metrics', () => metrics.close());
  }
  const { url } = await pool.start();
  if (config.METRICS_PORT !== undefined) {
    const redis = connectRedis(config.REDIS_URL, { purpose: 'once', onError: () => {} });
    shutdown.onClose('redis', () => redis.disconnect());
    const opened = await openReadiness({
      parts: [
        { name: 'redis', ask: () => redis.ping() },
        {
          name: 'processes',
          ask: () =>
            pool.members.length > 0 ? Promise.resolve() : Promise.reject(new Error('no gateway process serves')),
        },
      ],
    });
    readiness = opened;
    registerReadiness(own, opened);
    shutdown.onClose('health', () => opened.close());
  }
  log.info({ url, processes, pids: pool.members.map(({ pid }) => pid) }, 'all gateway processes open');
  return { url };
}
