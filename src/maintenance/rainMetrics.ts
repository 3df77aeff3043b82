import { liveRains, readRain } from '../store/rains.ts';
import type { Audit } from '../operator/audit.ts';
import { registerMetric, type MetricsRegistry, type Sample } from '../platform/telemetry/metrics.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { RedisMonitor } from './redisMonitor.ts';
import { countKinds } from '../operator/audit/tampering.ts';
import { RAINS_REPORTED_MAX, type Auditor, type WatchedRain } from './auditor.ts';

/** A repair is reported for as long, so that a scrape sees it, ms. */
const HEALED_REPORTED_MS = 600_000;

function tamperingOf({ audit, healed }: WatchedRain): ReturnType<typeof countKinds> {
  const counts = countKinds(audit.tampering);
  if (!healed || performance.now() - healed.at > HEALED_REPORTED_MS) return counts;
  return { ...counts, claimed_missing: Math.max(counts['claimed_missing'] ?? 0, healed.count) };
}

/**
 * Registers metrics about the money of live rains, from the last background audit, and about Redis. A rain is a label
 * only while this process audits it; after its settlement it is no longer reported.
 */
export function registerRainMetrics(
  registry: MetricsRegistry,
  {
    redis,
    auditor,
    redisMonitor,
  }: { redis: RedisClient; auditor: Pick<Auditor, 'seen'>; redisMonitor: Pick<RedisMonitor, 'currentProblems'> },
): void {
  const each = (toSamples: (rain: string, watched: WatchedRain) => Sample[]) => () =>
    [...auditor.seen()].flatMap(([rain, watched]) => toSamples(rain, watched));
  const terms = (unit: (share: Audit['equation']['budget']) => number) =>
    each((rain, { audit }) =>
      Object.entries(audit.equation).map(([term, share]) => ({ labels: { rain, term }, value: unit(share) })),
    );

  const gauge = (name: string, help: string, labels: readonly string[], read: () => Sample[] | Promise<Sample[]>) => {
    registerMetric(registry, { kind: 'gauge', name, help, labels, read });
  };

  gauge(
    'rain_money_cents',
    'Terms of the money equation, cents: budget = sum of all others. `pending`: won but not yet credited',
    ['rain', 'term'],
    terms(({ cents }) => Number(cents)),
  );
  gauge(
    'rain_packets',
    'Terms of the money equation, packets. `unclaimed` at 0: nothing is left to win',
    ['rain', 'term'],
    terms(({ count }) => count),
  );
  gauge(
    'rain_balanced',
    '1: every cent is accounted for; 0: it is not, check at once with rain audit',
    ['rain'],
    each((rain, { audit }) => [{ labels: { rain }, value: audit.report.balanced ? 1 : 0 }]),
  );
  gauge(
    'rain_tampering',
    'Findings of the last audit that only a hand in Redis or in the database can have caused, by kind; entries put back count for ten minutes. Each is a lie about money: rain audit',
    ['rain', 'kind'],
    each((rain, watched) =>
      Object.entries(tamperingOf(watched)).map(([kind, value]) => ({ labels: { rain, kind }, value })),
    ),
  );
  gauge(
    'rain_audit_seconds',
    'How long the last audit took. It grows with the packets; the auditor pauses twenty times as long',
    ['rain'],
    each((rain, { seconds }) => [{ labels: { rain }, value: seconds }]),
  );
  gauge(
    'rain_audit_last_success_timestamp_seconds',
    'When the last audit finished, with any result. Minutes ago: no process audits this rain',
    ['rain'],
    each((rain, { at }) => [{ labels: { rain }, value: at / 1_000 }]),
  );
  gauge(
    'rain_live_rains',
    'Rains that are not settled. One that stays after its end is stuck: rain show, rain audit',
    [],
    async () => [{ value: (await liveRains(redis)).size }],
  );
  gauge(
    'rain_relay_lag_claims',
    'Claims that are not in the queue yet. It drops within seconds after a wave',
    ['rain'],
    async () =>
      Promise.all(
        [...(await liveRains(redis))].slice(0, RAINS_REPORTED_MAX).map(async ([rain, live]) => {
          const snapshot = await readRain(redis, rain, live);
          return { labels: { rain }, value: snapshot ? Math.max(0, snapshot.claims - snapshot.relayed) : 0 };
        }),
      ),
  );
  gauge(
    'rain_redis_problems',
    'Current problems with Redis, by kind; all must be 0. `unseen`: Redis cannot be checked',
    ['problem'],
    () => Object.entries(redisMonitor.currentProblems()).map(([problem, value]) => ({ labels: { problem }, value })),
  );
}
