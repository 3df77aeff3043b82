import { CLOSES, OUTCOMES } from '../../protocol/outcomes.ts';
import { SALE_OUTCOMES } from '../../protocol/saleOutcomes.ts';
import {
  registerMetric,
  registerReadiness,
  registerHistogram,
  type MetricsRegistry,
  type Sample,
} from '../../platform/telemetry/metrics.ts';
import type { Histogram } from '../../platform/telemetry/histogram.ts';
import type { Gateway } from '../server.ts';
import { REFUSED_BY } from './counters.ts';

/** The gateway's metrics, all read from existing counters. */
export function registerGatewayMetrics(
  registry: MetricsRegistry,
  gateway: Pick<Gateway, 'sockets' | 'socketsMax' | 'grabsPending' | 'counters' | 'times' | 'load' | 'readiness'>,
): void {
  const { counters, times } = gateway;
  registerReadiness(registry, gateway.readiness);
  const gauge = (name: string, help: string, read: () => number) =>
    registerMetric(registry, { kind: 'gauge', name, help, read: () => [{ value: read() }] });
  const counter = (name: string, help: string, labels: string[], read: () => Sample[]) =>
    registerMetric(registry, { kind: 'counter', name, help, labels, read });
  const histogram = (name: string, help: string, read: Histogram) =>
    registerHistogram(registry, { name, help, read: () => [{ histogram: read }] });
  gauge(
    'rain_gateway_sockets',
    'Open sockets. A sudden large drop points to a proxy or the network, not to the players',
    () => gateway.sockets(),
  );
  gauge(
    'rain_gateway_sockets_limit',
    'Maximum number of sockets of this process; further ones are refused. If nine tenths are in use, start another gateway before the next rain',
    () => gateway.socketsMax,
  );
  gauge(
    'rain_gateway_grabs_pending',
    'Grabs and purchases waiting for Redis. Peaks of hundreds are normal. A plateau is not: Redis decides more slowly than players grab',
    () => gateway.grabsPending(),
  );
  gauge(
    'rain_gateway_grabs_pending_limit',
    'Grabs that may wait for Redis now; further grabs are answered "busy". Follows the recent rate of Redis, so a low value means that Redis is slow',
    () => gateway.load().grabsPendingLimit,
  );
  gauge(
    'rain_gateway_sockets_unread',
    'Sockets that are left unread until the time that "busy" has told their users, since they have asked again before it. Many of them: clients ignore retryInMs',
    () => gateway.load().unread,
  );
  gauge(
    'rain_gateway_loop_delay_seconds',
    'The longest recent delay of the event loop. A value that stays above 0.2 means that this process is overloaded',
    () => gateway.load().loopDelayMs / 1_000,
  );
  gauge(
    'rain_gateway_redis_round_trip_seconds',
    'The last round trip to Redis, not queued behind grabs. More than a few milliseconds means a problem with Redis or the network to it',
    () => gateway.load().roundTripMs / 1_000,
  );
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_gateway_switch',
    help: '1: on, 0: off; `by` says whether the operator, the load (pressure) or nobody has set it. Functions switched off by the load come back by themselves',
    labels: ['switch', 'by'],
    read: () =>
      gateway
        .load()
        .switches.map(({ name, off, by = 'nobody' }) => ({ labels: { switch: name, by }, value: off ? 0 : 1 })),
  });
  histogram(
    'rain_gateway_answer_seconds',
    'Grabs decided by Redis: read from the socket → answered. This is what a player notices, without the network. The gathering of a fair start does not count',
    times.answers,
  );
  histogram(
    'rain_gateway_redis_batch_seconds',
    'Round trips of grab batches. If this is long and rain_gateway_redis_probe_seconds is short, the batches are large or Redis is busy with them',
    times.batches,
  );
  histogram(
    'rain_gateway_batch_grabs',
    'Grabs per batch. Grows with the load. If it is always 512, the turns of the event loop are too long',
    times.sizes,
  );
  histogram(
    'rain_gateway_redis_probe_seconds',
    'Round trips of pings to Redis, not queued behind grabs, about five a second. If long, the cause is Redis or the network to it, not this gateway',
    times.probe,
  );
  counter(
    'rain_gateway_grabs_total',
    'Grabs answered, by code. -1 to -4 follow from the state of the rain. Players should hardly ever get -7 (busy)',
    ['code', 'reason'],
    () =>
      Object.values(OUTCOMES).map(({ code, reason }) => ({ labels: { code, reason }, value: counters.answers[code] })),
  );
  counter(
    'rain_gateway_purchases_total',
    'Purchases answered, by code. 0 is a new reservation; -12 and -1 follow from the stock. Buyers should hardly ever get -7 (busy), except in the first moments of a sale with a crowd far larger than its stock',
    ['code', 'reason'],
    () =>
      Object.values(SALE_OUTCOMES).map(({ code, reason }) => ({
        labels: { code, reason },
        value: counters.purchases[code],
      })),
  );
  counter(
    'rain_gateway_refused_total',
    'Refused connections, upgrades, messages and joins, and closed sockets, by limit. If one limit alone grows, it is an attack or the limit is too low',
    ['limit'],
    () => REFUSED_BY.map((limit) => ({ labels: { limit }, value: counters.refused[limit] })),
  );
  counter(
    'rain_gateway_closes_total',
    'Sockets closed by the gateway, by code. Many with one code show what is wrong with the clients',
    ['code', 'reason'],
    () =>
      Object.values(CLOSES).map(({ code, reason }) => ({
        labels: { code: String(code), reason },
        value: counters.closes[code],
      })),
  );
  counter(
    'rain_gateway_fair_start_grabs_total',
    'Grabs and purchases that took part in the lottery at the opening of a rain or sale. If it does not grow at an opening, the fair start is off or nobody came in time',
    [],
    () => [{ value: counters.gathered }],
  );
  counter(
    'rain_gateway_issued_total',
    'Tickets and challenges issued. Challenges without tickets afterwards come from scripts that do not solve them',
    ['what'],
    () => Object.entries(counters.issued).map(([what, value]) => ({ labels: { what }, value })),
  );
  counter(
    'rain_gateway_receipts_total',
    'Genuine receipts that users have shown, by status. restored and recorded: Redis had lost wins that users were told. recorded: rain write-off lists them',
    ['status'],
    () => Object.entries(counters.receipts).map(([status, value]) => ({ labels: { status }, value })),
  );
  counter(
    'rain_gateway_spoiled_packets_total',
    'Packets in Redis that were not signed with SIGNING_SECRET. They were set aside, and nobody was told of them. Above 0 somebody else writes to Redis',
    [],
    () => [{ value: counters.spoiled }],
  );
  counter(
    'rain_gateway_forged_reservations_total',
    'Reservations in Redis that were not signed with SIGNING_SECRET, once each time that one was met. No buyer was told of them. Above 0 somebody else writes to Redis',
    [],
    () => [{ value: counters.forgedReservations }],
  );
  counter(
    'rain_gateway_redis_faults_total',
    'Redis commands that failed or got an unexpected reply. Each may affect a whole batch of grabs, all answered "busy"',
    [],
    () => [{ value: counters.redisFaults }],
  );
}
