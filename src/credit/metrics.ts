import { registerMetric, registerHistogram, type MetricsRegistry } from '../platform/telemetry/metrics.ts';
import type { Histogram } from '../platform/telemetry/histogram.ts';
import { UNDONE } from './queueLoad.ts';
import type { CreditQueue, DeadQueue } from './queue.ts';

/** What this process's credit worker has done since it opened. */
export interface CreditCounters {
  /** Claims in the book after a job, those that were there before included. */
  credited: number;
  /** Attempts at a job that failed. */
  faults: number;
  /** Won → its user can be told that it is credited, seconds. */
  lag: Histogram;
  /** Taken up → done, seconds: one job, whatever came of it but a fault. */
  jobs: Histogram;
}

/** The credit worker's figures. The queue's belong to all processes together, the totals to this one. */
export function registerCreditMetrics(registry: MetricsRegistry, queue: Pick<CreditQueue, 'getJobCounts'>, dead: Pick<DeadQueue, 'getJobCountByTypes'>, counters: CreditCounters): void {
  registerMetric(registry, {
    kind: 'gauge', name: 'rain_queue_jobs', help: 'Jobs of the credit queue, by state; a job is up to 500 claims. Waiting ones that grow: more workers, or a slow database. Failed ones were given up: redelivery sends their claims again', labels: ['state'],
    read: async () => {
      const counts = await queue.getJobCounts(...UNDONE);
      return UNDONE.map((state) => ({ labels: { state }, value: counts[state] ?? 0 }));
    },
  });
  registerMetric(registry, {
    kind: 'gauge', name: 'rain_dead_letters', help: 'Claims that could not be credited and wait for the operator. Each is a user who waits for money: rain dead list',
    read: async () => [{ value: await dead.getJobCountByTypes('waiting', 'prioritized', 'delayed', 'active', 'failed') }],
  });
  registerMetric(registry, { kind: 'counter', name: 'rain_credited_claims_total', help: 'Claims that this process has seen into the book, those that were there before included', read: () => [{ value: counters.credited }] });
  registerMetric(registry, { kind: 'counter', name: 'rain_credit_faults_total', help: 'Attempts at a credit job that failed and are made again. A few are life; a steady stream is a database or a wallet in trouble', read: () => [{ value: counters.faults }] });
  registerHistogram(registry, { name: 'rain_credit_lag_seconds', help: "Claims, from the win to the user being told that the money is there. By two machines' clocks. Seconds in a big wave are normal, minutes are not", read: () => [{ histogram: counters.lag }] });
  registerHistogram(registry, { name: 'rain_credit_job_seconds', help: 'Credit jobs, taken up → done; up to 500 claims each. Longer than a second: the database, or the wallet, is slow', read: () => [{ histogram: counters.jobs }] });
}
