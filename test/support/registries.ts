import { createConsoleTally, tellConsole } from '../../src/console/metrics.ts';
import { tellProcesses } from '../../src/bin/servers/gateways.ts';
import { tellWork } from '../../src/bin/servers/worker.ts';
import { tellCredit } from '../../src/credit/metrics.ts';
import { tellGateway } from '../../src/gateway/metrics.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { createTally } from '../../src/gateway/tally.ts';
import { createTimes } from '../../src/gateway/times.ts';
import { openRegistry, tellReadiness, type MetricsRegistry } from '../../src/runtime/metrics.ts';
import type { RedisClient } from '../../src/runtime/redis.ts';
import { Spread } from '../../src/runtime/spread.ts';
import { tellRains } from '../../src/steward/metrics.ts';

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
  const quiet: Pick<Gateway, 'tally' | 'times' | 'sockets' | 'socketsMax' | 'grabsPending' | 'load' | 'readiness'> = {
    tally: createTally(), times: createTimes(), sockets: () => 0, socketsMax: 1, grabsPending: () => 0, load: () => { throw new Error('nobody is here'); },
    readiness: { standing, report: () => ({ ready: true }) },
  };
  tellGateway(gateway, quiet);
  tellProcesses(gateway, () => 1);
  tellReadiness(worker, { standing });
  const nobody = () => Promise.reject(new Error('nobody is here'));
  tellRains(worker, { redis: { hgetall: nobody } as unknown as RedisClient, watch: { seen: () => new Map() }, guard: { standing: () => { throw new Error('nobody is here'); } } });
  tellCredit(worker, { getJobCounts: nobody }, { getJobCountByTypes: nobody }, { credited: 0, faults: 0, lag: new Spread([1]), jobs: new Spread([1]) });
  tellWork(worker, { carried: () => 0, faults: () => 0 });
  tellReadiness(console, { standing });
  tellConsole(console, createConsoleTally());
  return { gateway, worker, console };
}

/** All figures, those of Node's own among them, in the order in which they are told. */
export async function knownFigures(): Promise<KnownFigure[]> {
  const found: KnownFigure[] = [];
  for (const [server, registry] of Object.entries(openAll())) {
    const kinds = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
    for (const metric of registry.getMetricsAsArray()) {
      const { name, help, labelNames = [] } = metric as unknown as { name: string; help: string; labelNames?: string[] };
      found.push({ server: server as KnownFigure['server'], name, help, labels: labelNames, kind: kinds.get(name)! });
    }
  }
  return found;
}
