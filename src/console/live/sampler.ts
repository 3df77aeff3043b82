import { shardKeys } from '../../store/keys.ts';
import { readHeartbeats } from '../../store/gatewayHeartbeat.ts';
import { findRain, readRain, redisNow } from '../../store/rains.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { auditRain, type Audit } from '../../operator/audit.ts';
import type { OperatorContext } from '../../operator/context.ts';
import { parseClaim } from '../../rain/claim.ts';
import { iso } from '../../rain/figures.ts';
import { stateAt } from '../../rain/rain.ts';
import { startLoop, type Loop } from '../../platform/concurrency/loop.ts';
import type { LiveSample } from '../contract/live.ts';
import { Rates, round } from './rates.ts';

interface SamplerRules {
  context: OperatorContext;
  rainId: string;
  onSample: (sample: LiveSample) => void;
  onFault: (error: unknown) => void;
  pace: Pace;
}

export interface Pace {
  /** How often a sample is taken, ms. */
  sampleMs: number;
  /** Pause after an audit: this multiple of the audit's duration, and at least `pauseMsMin` ms. */
  pauseFactor: number;
  pauseMsMin: number;
  /** How often the viewer's login is checked again, ms. */
  recheckMs: number;
}

/** Audits take 5 % of the time at most, as in the workers. */
export const PACE: Pace = { sampleMs: 1_000, pauseFactor: 20, pauseMsMin: 1_000, recheckMs: 10_000 };

/** Samples the live figures of one rain once a second, for all its viewers. A second loop runs the expensive audit. */
export function startSampler({ context, rainId, onSample, onFault, pace: { sampleMs, pauseFactor, pauseMsMin } }: SamplerRules): Loop {
  const rates = new Rates();
  let lastAudit: { audit: Audit; at: number } | undefined;
  let before: { wins: number; at: number } | undefined;

  async function sample(): Promise<void> {
    const [rain, found, now, heartbeats] = await Promise.all([context.ledger.rain(rainId), findRain(context.redis, rainId), redisNow(context.redis), readHeartbeats(context.redis)]);
    if (!rain) return;
    const reading = found && await readRain(context.redis, rainId, found);
    const credits = lastAudit?.audit.equation.credited.count ?? 0;
    const marked = reading ? await countMarked(context, rain) : 0;
    const wins = reading?.claims ?? credits;
    const credited = Math.max(marked, credits);
    const winsPerSecond = before && now > before.at ? round(Math.max(0, wins - before.wins) * 1_000 / (now - before.at)) : 0;
    before = { wins, at: now };
    onSample({
      at: iso(now), state: rain.settledAt !== undefined ? 'settled' : reading ? stateAt(reading, now) : 'draft', opensAt: iso(reading?.opensAt ?? rain.opensAt), closesAt: iso(reading?.closesAt ?? rain.closesAt),
      packets: reading?.packets ?? rain.packets, left: reading?.left ?? 0, wins, credited,
      creditLagMs: await lagOf(context, rain, { wins, credited, stuck: stuckIn(lastAudit?.audit), now, known: reading !== undefined }),
      sockets: heartbeats.reduce((sum, { sockets }) => sum + sockets, 0), gateways: heartbeats.length, ...rates.update(heartbeats), winsPerSecond, equation: lastAudit ? equationOf(lastAudit.audit, lastAudit.at) : null,
    });
  }

  async function runAudit(): Promise<number> {
    const start = performance.now();
    try {
      const audit = await auditRain(context, rainId);
      if (audit) lastAudit = { audit, at: await redisNow(context.redis) };
    } catch (error) {
      onFault(error);
    }
    return Math.max(pauseMsMin, pauseFactor * (performance.now() - start));
  }

  const auditing = startLoop(runAudit);
  const sampling = startLoop(async () => {
    const start = performance.now();
    await sample().catch(onFault);
    return Math.max(sampleMs / 4, sampleMs - (performance.now() - start));
  });
  // The caller need not wait: both loops only read.
  return { close: async () => { void Promise.all([auditing.close(), sampling.close()]); } };
}

/** Counts users that are marked as credited in Redis: slightly behind the ledger, but far cheaper to read. */
async function countMarked({ redis }: OperatorContext, { id, shards }: BookedRain): Promise<number> {
  const counts = await Promise.all(Array.from({ length: shards }, (_, shard) => redis.scard(shardKeys(id, shard).credited)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Claims that wait for an operator, not for the worker. */
function stuckIn(audit: Audit | undefined): number {
  return audit ? audit.report.discarded + (audit.queues?.dead.count ?? 0) : 0;
}

/**
 * How long the oldest uncredited claim has been waiting, approximately, ms. Claims are credited nearly in the order of the claim
 * log, so the oldest one follows the credited ones.
 */
async function lagOf({ redis }: OperatorContext, { id, shards }: BookedRain, { wins, credited, stuck, now, known }: { wins: number; credited: number; stuck: number; now: number; known: boolean }): Promise<number | null> {
  if (!known) return null;
  if (credited + stuck >= wins) return 0;
  const oldest = await Promise.all(Array.from({ length: shards }, async (_, shard) => {
    const { credited: marks, claims } = shardKeys(id, shard);
    const parsed = parseClaim(await redis.lindex(claims, -(await redis.scard(marks)) - 1) ?? '');
    return parsed.ok ? Math.max(0, now - Number(parsed.claim.at)) : 0;
  }));
  return Math.max(...oldest);
}

function equationOf({ report }: Audit, at: number): NonNullable<LiveSample['equation']> {
  const { budget, credited, pending, unclaimed, recycled, spoiled, balanced } = report;
  return { budget, credited, pending, unclaimed, recycled, spoiled, balanced, at: iso(at) };
}
