import { CLOSES, OUTCOMES } from '../../protocol/outcomes.ts';
import { registerMetric, registerReadiness, registerHistogram, type MetricsRegistry } from '../../platform/telemetry/metrics.ts';
import type { Histogram } from '../../platform/telemetry/histogram.ts';
import type { Gateway } from '../server.ts';
import { REFUSED_BY } from './counters.ts';

/** The gateway's figures. All of them are read from what it counts anyway. */
export function registerGatewayMetrics(registry: MetricsRegistry, gateway: Pick<Gateway, 'sockets' | 'socketsMax' | 'grabsPending' | 'counters' | 'times' | 'load' | 'readiness'>): void {
  const { counters, times } = gateway;
  registerReadiness(registry, gateway.readiness);
  registerMetric(registry, { kind: 'gauge', name: 'rain_gateway_sockets', help: 'Sockets that are open. Falls by a lot at once: a proxy or the network, not the players', read: () => [{ value: gateway.sockets() }] });
  registerMetric(registry, { kind: 'gauge', name: 'rain_gateway_sockets_limit', help: 'Sockets that this process takes; who comes then is refused. Nine tenths in use: start another gateway before the next rain', read: () => [{ value: gateway.socketsMax }] });
  registerMetric(registry, { kind: 'gauge', name: 'rain_gateway_grabs_pending', help: 'Grabs waiting for Redis. Hundreds in a wave are normal, a plateau is not: Redis decides slower than players ask', read: () => [{ value: gateway.grabsPending() }] });
  registerMetric(registry, { kind: 'gauge', name: 'rain_gateway_grabs_pending_limit', help: 'Grabs that may wait for Redis now; more are told "busy". Follows what Redis decided lately, so that a small one says that Redis is slow', read: () => [{ value: gateway.load().grabsPendingLimit }] });
  registerMetric(registry, { kind: 'gauge', name: 'rain_gateway_loop_delay_seconds', help: 'How long the event loop kept somebody waiting at worst, a moment ago. Above 0.2 for long: this process has more than it can do', read: () => [{ value: gateway.load().loopDelayMs / 1_000 }] });
  registerMetric(registry, { kind: 'gauge', name: 'rain_gateway_redis_round_trip_seconds', help: 'What the last question to Redis took, with no grab before it. A few milliseconds at most, or Redis or the line to it is in trouble', read: () => [{ value: gateway.load().roundTripMs / 1_000 }] });
  registerMetric(registry, {
    kind: 'gauge', name: 'rain_gateway_switch', help: '1: served, 0: given up; and whether the operator holds it so, the pressure does, or nobody. What the pressure gave up comes back by itself', labels: ['switch', 'by'],
    read: () => gateway.load().switches.map(({ name, off, by = 'nobody' }) => ({ labels: { switch: name, by }, value: off ? 0 : 1 })),
  });
  const histogram = (name: string, help: string, read: Histogram) => registerHistogram(registry, { name, help, read: () => [{ histogram: read }] });
  histogram('rain_gateway_answer_seconds', 'Grabs that Redis decided: read from the socket → answered. What a player notices, without the network; gathering for a fair start not counted', times.answers);
  histogram('rain_gateway_redis_batch_seconds', 'Batches of grabs on their way to Redis and back. If this is long and the pulse is short, the batches are large or Redis is busy with them', times.batches);
  histogram('rain_gateway_batch_grabs', 'Grabs in a batch. Grows with the load by itself; always 512: turns are too long', times.sizes);
  histogram('rain_gateway_redis_probe_seconds', 'Questions to Redis with no grab before them, about five a second. Long: Redis or the line to it, not we', times.probe);
  registerMetric(registry, {
    kind: 'counter', name: 'rain_gateway_grabs_total', help: 'Grabs answered, by code. -1 to -4 are the rain as it is; -7 (busy) is what players should hardly ever hear', labels: ['code', 'reason'],
    read: () => Object.values(OUTCOMES).map(({ code, reason }) => ({ labels: { code, reason }, value: counters.answers[code] })),
  });
  registerMetric(registry, {
    kind: 'counter', name: 'rain_gateway_refused_total', help: 'Connections, upgrades, messages and joins refused, and sockets closed, by the limit that did it. One limit alone that grows is either an attack or a limit that is too low', labels: ['limit'],
    read: () => REFUSED_BY.map((limit) => ({ labels: { limit }, value: counters.refused[limit] })),
  });
  registerMetric(registry, {
    kind: 'counter', name: 'rain_gateway_closes_total', help: 'Sockets that we have closed, by code. Many of one code at once say what is wrong with the clients', labels: ['code', 'reason'],
    read: () => Object.values(CLOSES).map(({ code, reason }) => ({ labels: { code: String(code), reason }, value: counters.closes[code] })),
  });
  registerMetric(registry, { kind: 'counter', name: 'rain_gateway_fair_start_grabs_total', help: 'Grabs that drew a lot at the opening of a rain. Stands still at an opening: the fair start is off, or nobody came in time', read: () => [{ value: counters.gathered }] });
  registerMetric(registry, {
    kind: 'counter', name: 'rain_gateway_issued_total', help: 'Tickets, and challenges before them, handed out. Challenges without tickets after them: scripts that do not solve them', labels: ['what'],
    read: () => Object.entries(counters.issued).map(([what, value]) => ({ labels: { what }, value })),
  });
  registerMetric(registry, {
    kind: 'counter', name: 'rain_gateway_redis_faults_total', help: 'Commands that Redis did not answer, or not as expected. Each may stand for a whole batch of grabs, all told to ask again', read: () => [{ value: counters.redisFaults }],
  });
}
