import { CLOSES, OUTCOMES } from '../protocol/outcomes.ts';
import { tellFigure, type MetricsRegistry } from '../runtime/metrics.ts';
import type { Gateway } from './server.ts';
import { REFUSED_BY } from './tally.ts';

/** The gateway's figures. All of them are read from what it counts anyway. */
export function tellGateway(registry: MetricsRegistry, gateway: Pick<Gateway, 'sockets' | 'grabsPending' | 'tally' | 'load'>): void {
  const { tally } = gateway;
  tellFigure(registry, { kind: 'gauge', name: 'rain_gateway_sockets', help: 'Sockets that are open', read: () => [{ value: gateway.sockets() }] });
  tellFigure(registry, { kind: 'gauge', name: 'rain_gateway_grabs_pending', help: 'Grabs waiting for Redis', read: () => [{ value: gateway.grabsPending() }] });
  tellFigure(registry, { kind: 'gauge', name: 'rain_gateway_grabs_pending_limit', help: 'Grabs that may wait for Redis now; more are told "busy"', read: () => [{ value: gateway.load().grabsPendingLimit }] });
  tellFigure(registry, { kind: 'gauge', name: 'rain_gateway_loop_delay_seconds', help: 'How long the event loop kept somebody waiting at worst, a moment ago', read: () => [{ value: gateway.load().loopDelayMs / 1_000 }] });
  tellFigure(registry, { kind: 'gauge', name: 'rain_gateway_redis_round_trip_seconds', help: 'What a question to Redis takes, with no grab before it', read: () => [{ value: gateway.load().roundTripMs / 1_000 }] });
  tellFigure(registry, {
    kind: 'gauge', name: 'rain_gateway_switch', help: '1: served, 0: given up; and whether the operator holds it so, the pressure does, or nobody', labels: ['switch', 'by'],
    read: () => gateway.load().switches.map(({ name, off, by = 'nobody' }) => ({ labels: { switch: name, by }, value: off ? 0 : 1 })),
  });
  tellFigure(registry, {
    kind: 'counter', name: 'rain_gateway_grabs_total', help: 'Grabs answered, by code', labels: ['code', 'reason'],
    read: () => Object.values(OUTCOMES).map(({ code, reason }) => ({ labels: { code, reason }, value: tally.answers[code] })),
  });
  tellFigure(registry, {
    kind: 'counter', name: 'rain_gateway_refused_total', help: 'Upgrades, messages and joins refused, and sockets closed, by the limit that did it', labels: ['limit'],
    read: () => REFUSED_BY.map((limit) => ({ labels: { limit }, value: tally.refused[limit] })),
  });
  tellFigure(registry, {
    kind: 'counter', name: 'rain_gateway_closes_total', help: 'Sockets that we have closed, by code', labels: ['code', 'reason'],
    read: () => Object.values(CLOSES).map(({ code, reason }) => ({ labels: { code: String(code), reason }, value: tally.closes[code] })),
  });
  tellFigure(registry, {
    kind: 'counter', name: 'rain_gateway_redis_faults_total', help: 'Commands that Redis did not answer, or not as expected', read: () => [{ value: tally.redisFaults }],
  });
}
