import { findRain, readRain, redisNow, type LiveRain } from '../store/rains.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import { auditRain } from './audit.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { backOf, hindrance, type Settling } from './settle.ts';

/**
 * What settling would come to now, by the looks that it takes and without its steps: nothing is closed, sealed or moved.
 * A rain that goes on meanwhile may well come to something else.
 */
export async function settleDryRun(context: OperatorContext, rain: BookedRain, live: LiveRain): Promise<Settling | { outcome: 'foreseen'; backCents: Cents }> {
  if (rain.settledAt !== undefined) return { outcome: 'settled' };
  const reading = await readRain(context.redis, rain.id, live);
  if (!reading) return { outcome: 'lost' };
  const isOver = reading.state === 'closed' || reading.state === 'settled' || rain.sealedAt !== undefined || await redisNow(context.redis) >= reading.closesAt;
  if (!isOver) return { outcome: 'not_due' };
  const audit = await auditRain(context, rain.id);
  if (!audit) return { outcome: 'lost' };
  return hindrance(audit) ?? { outcome: 'foreseen', backCents: backOf(audit) };
}

type CloseDryRun = {
  ok: true;
  /** Packets that nobody would get any more; with their money, a decimal string. */
  left: number;
  unclaimed: string;
  /** Won so far: all of it is credited whatever happens. */
  won: number;
} | Refused;

/** What closing a rain now would keep from its players. */
export async function closeDryRun(context: OperatorContext, rainId: string): Promise<CloseDryRun> {
  const live = await findRain(context.redis, rainId);
  if (!live) return refuse('id', `there is no live rain ${rainId}`);
  const reading = await readRain(context.redis, rainId, live);
  const audit = reading && await auditRain(context, rainId);
  if (!reading || !audit) return refuse('id', `the rain ${rainId} is gone`);
  return { ok: true, left: audit.equation.unclaimed.count, unclaimed: formatMoney(audit.equation.unclaimed.cents), won: reading.claims };
}
