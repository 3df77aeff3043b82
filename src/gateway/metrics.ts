import { OUTCOMES } from '../protocol/outcomes.ts';
import { tellFigure, type MetricsRegistry } from '../runtime/metrics.ts';
import type { Gateway } from './server.ts';

/** The gateway's figures. All of them are read from what it counts anyway. */
export function tellGateway(registry: MetricsRegistry, gateway: Pick<Gateway, 'sockets' | 'grabsPending' | 'tally'>): void {
  const { tally } = gateway;
  tellFigure(registry, { kind: 'gauge', name: 'rain_gateway_sockets', help: 'Sockets that are open', read: () => [{ value: gateway.sockets() }] });
  tellFigure(registry, { kind: 'gauge', name: 'rain_gateway_grabs_pending', help: 'Grabs waiting for Redis', read: () => [{ value: gateway.grabsPending() }] });
  tellFigure(registry, {
    kind: 'counter', name: 'rain_gateway_grabs_total', help: 'Grabs answered, by code', labels: ['code', 'reason'],
    read: () => Object.values(OUTCOMES).map(({ code, reason }) => ({ labels: { code, reason }, value: tally.answers[code] })),
  });
  tellFigure(registry, {
    kind: 'counter', name: 'rain_gateway_redis_faults_total', help: 'Commands that Redis did not answer, or not as expected', read: () => [{ value: tally.redisFaults }],
  });
}
