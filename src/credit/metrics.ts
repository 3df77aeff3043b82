import { tellFigure, type MetricsRegistry } from '../runtime/metrics.ts';
import { UNDONE } from './load.ts';
import type { CreditQueue, DeadQueue } from './queue.ts';

/** What this process's clerk has done since it opened. */
export interface CreditTally {
  /** Claims in the book after a job, those that were there before included. */
  credited: number;
  /** Claims given up. */
  buried: number;
  /** Attempts at a job that failed. */
  faults: number;
}

/** The clerk's figures. The queue's belong to all processes together, the totals to this one. */
export function tellCredit(registry: MetricsRegistry, queue: Pick<CreditQueue, 'getJobCounts'>, dead: Pick<DeadQueue, 'getJobCountByTypes'>, tally: CreditTally): void {
  tellFigure(registry, {
    kind: 'gauge', name: 'rain_queue_jobs', help: 'Jobs of the credit queue, by state; a job is up to 500 claims', labels: ['state'],
    read: async () => {
      const counts = await queue.getJobCounts(...UNDONE);
      return UNDONE.map((state) => ({ labels: { state }, value: counts[state] ?? 0 }));
    },
  });
  tellFigure(registry, {
    kind: 'gauge', name: 'rain_dead_letters', help: 'Claims that could not be credited and wait for the operator',
    read: async () => [{ value: await dead.getJobCountByTypes('waiting', 'prioritized', 'delayed', 'active', 'failed') }],
  });
  tellFigure(registry, { kind: 'counter', name: 'rain_credited_claims_total', help: 'Claims that this process has seen into the book', read: () => [{ value: tally.credited }] });
  tellFigure(registry, { kind: 'counter', name: 'rain_buried_claims_total', help: 'Claims that this process has given up', read: () => [{ value: tally.buried }] });
  tellFigure(registry, { kind: 'counter', name: 'rain_credit_faults_total', help: 'Attempts at a credit job that failed', read: () => [{ value: tally.faults }] });
}
