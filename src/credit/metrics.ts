import { registerMetric, registerHistogram, type MetricsRegistry } from '../platform/telemetry/metrics.ts';
import type { Histogram } from '../platform/telemetry/histogram.ts';
import { UNDONE } from './queueLoad.ts';
import type { RangeCounters } from './rangeWorker.ts';
import type { CreditQueue, DeadQueue } from './queue.ts';

/** Figures of this process's credit worker since its start. */
export interface CreditCounters extends RangeCounters {
  /** Claims in the ledger after a job, including claims that were there before. */
  credited: number;
  /** From the win until its user can be told that it is credited, seconds. */
  lag: Histogram;
}

/** Registers the credit worker's metrics. Queue figures cover all processes, the counters this one. */
export function registerCreditMetrics(
  registry: MetricsRegistry,
  queue: Pick<CreditQueue, 'getJobCounts'>,
  dead: Pick<DeadQueue, 'getJobCountByTypes'>,
  counters: CreditCounters,
): void {
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_queue_jobs',
    help: 'Jobs of the credit queue, by state; a job is up to 500 claims. Waiting ones that grow: more workers, or a slow database. Failed jobs were given up: redelivery sends their claims again',
    labels: ['state'],
    read: async () => {
      const counts = await queue.getJobCounts(...UNDONE);
      return UNDONE.map((state) => ({ labels: { state }, value: counts[state] ?? 0 }));
    },
  });
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_dead_letters',
    help: 'Claims that could not be credited and wait for the operator. Each is a user who waits for money: rain dead list',
    read: async () => [
      { value: await dead.getJobCountByTypes('waiting', 'prioritized', 'delayed', 'active', 'failed') },
    ],
  });
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_credited_claims_total',
    help: 'Claims that this process has credited in the ledger, including claims that were there before',
    read: () => [{ value: counters.credited }],
  });
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_credit_faults_total',
    help: 'Attempts of credit jobs that failed and are retried. A few are normal; many mean that the database or the wallet has a problem',
    read: () => [{ value: counters.faults }],
  });
  registerHistogram(registry, {
    name: 'rain_credit_lag_seconds',
    help: 'Claims, from the win until the user is told about the credit, by the clocks of two machines. Seconds are normal in a big wave, minutes are not',
    read: () => [{ histogram: counters.lag }],
  });
  registerHistogram(registry, {
    name: 'rain_credit_job_seconds',
    help: 'Credit jobs, from start to end; up to 500 claims each. Longer than a second: the database or the wallet is slow',
    read: () => [{ histogram: counters.jobs }],
  });
}
