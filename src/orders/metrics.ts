import { UNDONE } from '../credit/queueLoad.ts';
import type { RangeCounters } from '../credit/rangeWorker.ts';
import type { Histogram } from '../platform/telemetry/histogram.ts';
import { registerHistogram, registerMetric, type MetricsRegistry } from '../platform/telemetry/metrics.ts';
import type { EndedQueue } from './endedQueue.ts';
import type { OrderQueues } from './queue.ts';

/** Figures of this process's order worker since its start. */
export interface OrderCounters extends RangeCounters {
  /** Orders in the ledger and with the order service after a job, including those that were there before. */
  ordered: number;
  /** Orders that the order service did not accept, each time that they were posted. */
  notAccepted: number;
  /** Orders that have timed out before the order service has confirmed them. */
  undelivered: number;
  /** From the reservation until its buyer can be told that its order is created, seconds. */
  lag: Histogram;
}

/** The metered part of the queues. */
type MeteredQueues = { [Name in keyof OrderQueues]: Pick<OrderQueues[Name], 'getJobCounts' | 'getJobCountByTypes'> };

/** Registers the order worker's metrics. Queue figures cover all processes, the counters this one. */
export function registerOrderMetrics(
  registry: MetricsRegistry,
  { orders, later, dead }: MeteredQueues,
  counters: OrderCounters,
): void {
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_order_queue_jobs',
    help: 'Jobs of the queue of orders, by state; a job is up to 500 reservations. Waiting ones that grow: more workers, or a slow database. Failed jobs were given up: redelivery sends their reservations again',
    labels: ['state'],
    read: async () => {
      const counts = await orders.getJobCounts(...UNDONE);
      return UNDONE.map((state) => ({ labels: { state }, value: counts[state] ?? 0 }));
    },
  });
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_order_later_jobs',
    help: 'Jobs of orders that the order service has not accepted yet: they are posted again, later each time. Their buyers wait',
    read: async () => [{ value: await later.getJobCountByTypes('waiting', 'active', 'delayed') }],
  });
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_order_dead_letters',
    help: 'Reservations that could not become orders, and payments that came too late. Each waits for the operator: rain sale dead list',
    read: async () => [
      { value: await dead.getJobCountByTypes('waiting', 'prioritized', 'delayed', 'active', 'failed') },
    ],
  });
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_orders_written_total',
    help: 'Orders that this process has written in the ledger, including orders that were there before',
    read: () => [{ value: counters.ordered }],
  });
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_orders_not_accepted_total',
    help: 'Orders that the order service of the shop did not accept, each time that they were posted: no answer, 429, 5xx or "retry". The worker\'s log gives the reason',
    read: () => [{ value: counters.notAccepted }],
  });
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_orders_undelivered_total',
    help: 'Orders that have timed out before the shop has confirmed them: lost purchases, whose units are sold again. See rain sale show',
    read: () => [{ value: counters.undelivered }],
  });
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_order_faults_total',
    help: 'Attempts of order jobs that failed and are retried. A few are normal; many mean that the database or the order service has a problem',
    read: () => [{ value: counters.faults }],
  });
  registerHistogram(registry, {
    name: 'rain_order_lag_seconds',
    help: 'Orders, from the reservation until the buyer is told that the order is created, by the clocks of two machines. Seconds are normal in a big sale, minutes are not',
    read: () => [{ histogram: counters.lag }],
  });
  registerHistogram(registry, {
    name: 'rain_order_job_seconds',
    help: 'Order jobs, from start to end; up to 500 reservations each. Longer than a second: the database or the order service is slow',
    read: () => [{ histogram: counters.jobs }],
  });
}

/** The same for what the shop is told of orders that have ended. */
export function registerEndedMetrics(
  registry: MetricsRegistry,
  queue: Pick<EndedQueue, 'getJobCountByTypes'>,
  counters: () => { told: number; untold: number },
): void {
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_order_ended_jobs',
    help: 'Jobs of orders that have ended and of which the shop is not told yet; a job is up to 500 orders. Grows while the shop does not answer; beyond 1,000 it is told no more',
    read: async () => [{ value: await queue.getJobCountByTypes('waiting', 'active', 'delayed') }],
  });
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_orders_ended_told_total',
    help: 'Orders that have ended and of which this process has told the shop',
    read: () => [{ value: counters().told }],
  });
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_orders_ended_untold_total',
    help: "Orders that have ended and of which the shop is told no more: it did not answer for two hours, or too many waited already. The worker's log names them. No unit and no order depends on it",
    read: () => [{ value: counters().untold }],
  });
}
