import { createConsoleCounters, registerConsoleMetrics } from '../../src/console/metrics.ts';
import { registerProcessMetrics } from '../../src/bin/servers/gateways.ts';
import { registerWorkMetrics } from '../../src/bin/servers/worker.ts';
import { registerCreditMetrics } from '../../src/credit/metrics.ts';
import { registerGatewayMetrics } from '../../src/gateway/telemetry/metrics.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { createGatewayCounters } from '../../src/gateway/telemetry/counters.ts';
import { createTimes } from '../../src/gateway/telemetry/times.ts';
import { registerEndedMetrics, registerOrderMetrics } from '../../src/orders/metrics.ts';
import { openRegistry, registerReadiness, type MetricsRegistry } from '../../src/platform/telemetry/metrics.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { Histogram } from '../../src/platform/telemetry/histogram.ts';
import { registerEpochMetrics } from '../../src/maintenance/epochMetrics.ts';
import { registerWaitingClaims } from '../../src/maintenance/waitingClaims.ts';
import { registerSaleMetrics } from '../../src/maintenance/saleMetrics.ts';
import { registerRainMetrics } from '../../src/maintenance/rainMetrics.ts';

/** One figure as the registries have it. */
export interface KnownFigure {
  server: 'gateway' | 'worker' | 'console';
  name: string;
  kind: string;
  labels: readonly string[];
  help: string;
}

const standing = () => [];

/** Everything that the three servers tell, with nobody behind it. */
function openAll(): Record<KnownFigure['server'], MetricsRegistry> {
  const [gateway, worker, console] = [openRegistry(), openRegistry(), openRegistry()];
  const quiet: Pick<Gateway, 'counters' | 'times' | 'sockets' | 'socketsMax' | 'grabsPending' | 'load' | 'readiness'> =
    {
      counters: createGatewayCounters(),
      times: createTimes(),
      sockets: () => 0,
      socketsMax: 1,
      grabsPending: () => 0,
      load: () => {
        throw new Error('nobody is here');
      },
      readiness: { standing, report: () => ({ ready: true }) },
    };
  registerGatewayMetrics(gateway, quiet);
  registerProcessMetrics(gateway, () => 1);
  registerReadiness(worker, { standing });
  const nobody = () => Promise.reject(new Error('nobody is here'));
  registerRainMetrics(worker, {
    redis: { hgetall: nobody } as unknown as RedisClient,
    auditor: { seen: () => new Map() },
    redisMonitor: {
      currentProblems: () => {
        throw new Error('nobody is here');
      },
    },
  });
  registerEpochMetrics(worker, { held: () => new Map(), isBehind: () => false, restoring: nobody });
  registerWaitingClaims(worker, { oldestSeconds: () => 0 });
  registerSaleMetrics(worker, {
    redis: { hgetall: nobody } as unknown as RedisClient,
    ledger: { places: nobody, oldestUnfollowedSeconds: nobody },
    auditor: { seen: () => new Map() },
    counters: () => ({ expired: 0, followed: 0, cancelWishes: 0, forgedWishes: 0 }),
  });
  registerCreditMetrics(
    worker,
    { getJobCounts: nobody },
    { getJobCountByTypes: nobody },
    { credited: 0, faults: 0, lag: new Histogram([1]), jobs: new Histogram([1]) },
  );
  const queue = { getJobCounts: nobody, getJobCountByTypes: nobody };
  registerOrderMetrics(
    worker,
    { orders: queue, later: queue, dead: queue },
    { ordered: 0, notAccepted: 0, undelivered: 0, faults: 0, lag: new Histogram([1]), jobs: new Histogram([1]) },
  );
  registerEndedMetrics(worker, queue, () => ({ told: 0, untold: 0 }));
  registerWorkMetrics(worker, { carried: () => 0, faults: () => 0 });
  registerReadiness(console, { standing });
  registerConsoleMetrics(console, createConsoleCounters());
  return { gateway, worker, console };
}

/** All figures, those of Node's own among them, in the order in which they are told. */
export async function knownFigures(): Promise<KnownFigure[]> {
  const found: KnownFigure[] = [];
  for (const [server, registry] of Object.entries(openAll())) {
    const kinds = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
    for (const metric of registry.getMetricsAsArray()) {
      const {
        name,
        help,
        labelNames = [],
      } = metric as unknown as { name: string; help: string; labelNames?: string[] };
      found.push({ server: server as KnownFigure['server'], name, help, labels: labelNames, kind: kinds.get(name)! });
    }
  }
  return found;
}
