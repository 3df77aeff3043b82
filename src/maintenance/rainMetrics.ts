import { liveRains, readRain } from '../store/rains.ts';
import type { Audit } from '../operator/audit.ts';
import { registerMetric, type MetricsRegistry, type Sample } from '../platform/telemetry/metrics.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { REDIS_PROBLEMS, type RedisMonitor } from './redisMonitor.ts';
import { RAINS_TOLD_MAX, type Auditor, type Watched } from './auditor.ts';

/**
 * The money of the live rains as the background audit last saw it, and what guards it. A rain is a label only while this
 * process looks after it: once it is settled, it is told no more.
 */
export function registerRainMetrics(registry: MetricsRegistry, { redis, auditor, redisMonitor }: { redis: RedisClient; auditor: Pick<Auditor, 'seen'>; redisMonitor: Pick<RedisMonitor, 'standing'> }): void {
  const each = (tell: (rain: string, watched: Watched) => Sample[]) => () => [...auditor.seen()].flatMap(([rain, watched]) => tell(rain, watched));
  const terms = (unit: (share: Audit['equation']['budget']) => number) => each((rain, { audit }) => Object.entries(audit.equation)
    .map(([term, share]) => ({ labels: { rain, term }, value: unit(share) })));

  registerMetric(registry, {
    kind: 'gauge', name: 'rain_money_cents', help: 'Terms of the money equation, cents: budget = all the others together. Promised to users and not there yet is pending', labels: ['rain', 'term'],
    read: terms(({ cents }) => Number(cents)),
  });
  registerMetric(registry, { kind: 'gauge', name: 'rain_packets', help: 'The same in packets. Unclaimed at 0: nothing is left to win', labels: ['rain', 'term'], read: terms(({ count }) => count) });
  registerMetric(registry, {
    kind: 'gauge', name: 'rain_balanced', help: '1: every cent is accounted for; 0: it is not, look at once with rain audit', labels: ['rain'],
    read: each((rain, { audit }) => [{ labels: { rain }, value: audit.report.balanced ? 1 : 0 }]),
  });
  registerMetric(registry, { kind: 'gauge', name: 'rain_audit_seconds', help: 'How long the last audit took. It grows with the packets; the watch rests twenty times as long', labels: ['rain'], read: each((rain, { seconds }) => [{ labels: { rain }, value: seconds }]) });
  registerMetric(registry, {
    kind: 'gauge', name: 'rain_audit_last_success_timestamp_seconds', help: 'When the last audit came to a verdict, whichever. Minutes ago: nobody looks after this rain', labels: ['rain'],
    read: each((rain, { at }) => [{ labels: { rain }, value: at / 1_000 }]),
  });
  registerMetric(registry, { kind: 'gauge', name: 'rain_live_rains', help: 'Rains that are not settled. One that stays after its end is stuck: rain show, rain audit', read: async () => [{ value: (await liveRains(redis)).size }] });
  registerMetric(registry, {
    kind: 'gauge', name: 'rain_relay_lag_claims', help: 'Claims that the queue has not been handed yet. Falls within seconds of a wave', labels: ['rain'],
    read: async () => Promise.all([...await liveRains(redis)].slice(0, RAINS_TOLD_MAX).map(async ([rain, live]) => {
      const reading = await readRain(redis, rain, live);
      return { labels: { rain }, value: reading ? Math.max(0, reading.claims - reading.relayed) : 0 };
    })),
  });
  registerMetric(registry, {
    kind: 'gauge', name: 'rain_redis_problems', help: 'Troubles with Redis that stand now, by problem; all are to be 0. `unseen`: it cannot be asked', labels: ['problem'],
    read: () => {
      const counts = redisMonitor.standing();
      return REDIS_PROBLEMS.map((problem) => ({ labels: { problem }, value: counts[problem] }));
    },
  });
}
