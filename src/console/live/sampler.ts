import { shardKeys } from '../../store/keys.ts';
import { readHeartbeats } from '../../store/gatewayHeartbeat.ts';
import { findRain, readRain, redisNow, type StoredRain } from '../../store/rains.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { auditRain, type Audit } from '../../operator/audit.ts';
import type { OperatorContext } from '../../operator/context.ts';
import { wasLoaded } from '../../operator/lostRains.ts';
import { parseClaim } from '../../rain/claim.ts';
import { iso } from '../../rain/figures.ts';
import { stateAt } from '../../rain/rain.ts';
import type { Loop } from '../../platform/concurrency/loop.ts';
import type { LiveSample } from '../contract/live.ts';
import { Rates, round } from './rates.ts';
import { startSampling, type Pace } from './sampling.ts';

/** Samples the live figures of one rain once a second, for all its viewers. */
export function startSampler(
  context: OperatorContext,
  rainId: string,
  pace: Pace,
  onFault: (error: unknown) => void,
  onSample: (sample: LiveSample) => void,
): Loop {
  const rates = new Rates();
  let lastAudit: { audit: Audit; at: number } | undefined;
  let before: { wins: number; at: number } | undefined;

  async function sample(): Promise<void> {
    const [rain, found, now, heartbeats] = await Promise.all([
      context.ledger.rain(rainId),
      findRain(context.redis, rainId),
      redisNow(context.redis),
      readHeartbeats(context.redis),
    ]);
    if (!rain) return;
    // An audit that ends meanwhile is for the next sample: with counts from before it, this one would contradict
    // itself.
    const audited = lastAudit;
    const reading = found && (await readRain(context.redis, rainId, found));
    const credits = audited?.audit.equation.credited.count ?? 0;
    const marked = reading ? await countMarked(context, rain) : [];
    const wins = reading?.claims ?? credits;
    const credited = Math.max(
      marked.reduce((sum, count) => sum + count, 0),
      credits,
    );
    const stuck = audited ? stuckOf(audited.audit) : 0;
    const winsPerSecond = rateSince(before, wins, now);
    before = { wins, at: now };
    onSample({
      at: iso(now),
      state: await stateOf(context, rain, reading, now),
      opensAt: iso(reading?.opensAt ?? rain.opensAt),
      closesAt: iso(reading?.closesAt ?? rain.closesAt),
      packets: reading?.packets ?? rain.packets,
      left: reading?.left ?? 0,
      wins,
      credited,
      creditLagMs: !reading ? null : credited + stuck >= wins ? 0 : await lagOf(context, rainId, marked, now),
      sockets: heartbeats.reduce((sum, { sockets }) => sum + sockets, 0),
      gateways: heartbeats.length,
      ...rates.update(heartbeats),
      winsPerSecond,
      equation: audited ? equationOf(audited.audit, audited.at) : null,
    });
  }

  async function runAudit(): Promise<void> {
    const audit = await auditRain(context, rainId);
    if (audit) lastAudit = { audit, at: await redisNow(context.redis) };
  }

  return startSampling(sample, runAudit, pace, onFault);
}

async function stateOf(
  context: OperatorContext,
  { id, settledAt }: BookedRain,
  reading: StoredRain | undefined,
  now: number,
): Promise<LiveSample['state']> {
  if (settledAt !== undefined) return 'settled';
  if (reading) return stateAt(reading, now);
  return (await wasLoaded(context, id)) ? 'lost' : 'draft';
}

/** Claims that wait for an operator, not for the worker. */
const stuckOf = ({ report, queues }: Audit): number => report.discarded + (queues?.dead.count ?? 0);

/** Wins per second since the sample before. */
function rateSince(before: { wins: number; at: number } | undefined, wins: number, now: number): number {
  return before && now > before.at ? round((Math.max(0, wins - before.wins) * 1_000) / (now - before.at)) : 0;
}

/** Claims that are marked as credited in Redis, by shard: slightly behind the ledger, but far cheaper to read. */
function countMarked({ redis }: OperatorContext, { id, shards }: BookedRain): Promise<number[]> {
  return Promise.all(Array.from({ length: shards }, (_, shard) => redis.scard(shardKeys(id, shard).credited)));
}

/**
 * How long the oldest uncredited claim has been waiting, approximately, ms. Claims are credited nearly in the order of
 * the claim log, so the oldest one follows the credited ones.
 */
async function lagOf(
  { redis }: OperatorContext,
  rainId: string,
  marked: readonly number[],
  now: number,
): Promise<number> {
  const waits = await Promise.all(
    marked.map(async (count, shard) => {
      const parsed = parseClaim((await redis.lindex(shardKeys(rainId, shard).claims, -count - 1)) ?? '');
      return parsed.ok ? Math.max(0, now - Number(parsed.claim.at)) : 0;
    }),
  );
  return Math.max(...waits);
}

function equationOf({ report }: Audit, at: number): NonNullable<LiveSample['equation']> {
  const { budget, credited, pending, unclaimed, recycled, spoiled, balanced } = report;
  return { budget, credited, pending, unclaimed, recycled, spoiled, balanced, at: iso(at) };
}
