import type { CreditJob } from '../credit/job.ts';
import { parseClaim } from '../rain/claim.ts';
import { tellFigure, tellSpread, type MetricsRegistry } from '../runtime/metrics.ts';
import { LAGS_SECONDS, Spread } from '../runtime/spread.ts';

/** What this process's relay has carried since it opened. */
interface RelayTally {
  claims: number;
  /** Won → with the queue, seconds; of the oldest claim of each job. */
  lag: Spread;
}

export function createRelayTally(): RelayTally {
  return { claims: 0, lag: new Spread(LAGS_SECONDS) };
}

/** One claim of a job is read, the one that has waited longest: to read all would cost as much as to carry them. */
export function countCarried(tally: RelayTally, { entries }: CreditJob, now = Date.now()): void {
  tally.claims += entries.length;
  const oldest = parseClaim(entries[0]!);
  if (oldest.ok) tally.lag.add(Math.max(0, now - Number(oldest.claim.at)) / 1_000);
}

export function tellRelay(registry: MetricsRegistry, tally: RelayTally): void {
  tellFigure(registry, { kind: 'counter', name: 'rain_relay_carried_claims_total', help: 'Claims that this process has handed to the queue. Stands still while rain_relay_lag_claims does not fall: the relay is stuck', read: () => [{ value: tally.claims }] });
  tellSpread(registry, { name: 'rain_relay_lag_seconds', help: "The oldest claim of each job, from the win to the queue. By two machines' clocks. Above a second: the queue is full, or no relay was there", read: () => [{ spread: tally.lag }] });
}
