import { registerMetric, type MetricsRegistry } from '../platform/telemetry/metrics.ts';
import { BEHIND } from '../operator/restore/behind.ts';
import { HOLD_REASONS } from '../store/holds.ts';
import type { Epoch } from './epoch.ts';

/** Registers metrics about a store that is an older state than the other one. */
export function registerEpochMetrics(
  registry: MetricsRegistry,
  { held, isBehind, restoring }: Pick<Epoch, 'held' | 'isBehind'> & { restoring(): Promise<number> },
): void {
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_store_behind',
    labels: ['store'],
    help: '1 for at least a minute after one store was found to be older than the other, and while rains are held because of it. `foreign`: they were not used together',
    read: () => BEHIND.map((store) => ({ labels: { store }, value: isBehind(store) ? 1 : 0 })),
  });
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_held_rains',
    labels: ['reason'],
    help: 'Rains and sales in which nothing is granted, because Redis and the ledger do not agree about them: rain restore check. `restoring`: a restore is under way, or was interrupted',
    read: async () => [
      ...HOLD_REASONS.map((reason) => ({
        labels: { reason },
        value: [...held().values()].filter((found) => found === reason).length,
      })),
      { labels: { reason: 'restoring' }, value: await restoring() },
    ],
  });
}
