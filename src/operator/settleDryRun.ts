import { findRain, readRain, redisNow, type LiveRain } from '../store/rains.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import { auditRain } from './audit.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { backOf, blockerOf, type Settling } from './settle.ts';

/**
 * The outcome of settling now, from the same reads and without its steps: nothing is closed, sealed or moved. A rain that is
 * still open may end differently.
 */
export async function settleDryRun(context: OperatorContext, rain: BookedRain, live: LiveRain): Promise<Settling | { outcome: 'foreseen'; backCents: Cents }> {
  if (rain.settledAt !== undefined) return { outcome: 'settled' };
  const snapshot = await readRain(context.redis, rain.id, live);
  if (!snapshot) return { outcome: 'lost' };
  const isOver = snapshot.state === 'closed' || snapshot.state === 'settled' || rain.sealedAt !== undefined || await redisNow(context.redis) >= snapshot.closesAt;
  if (!isOver) return { outcome: 'not_due' };
  const audit = await auditRain(context, rain.id);
  if (!audit) return { outcome: 'lost' };
  return blockerOf(audit) ?? { outcome: 'foreseen', backCents: backOf(audit) };
}

type CloseDryRun = {
  ok: true;
  /** Packets that nobody could win any more, and their money, a decimal string. */
  left: number;
  unclaimed: string;
  /** Packets won so far; all of them are credited in any case. */
  won: number;
} | Refused;

/** What players would lose if the rain were closed now. */
export async function closeDryRun(context: OperatorContext, rainId: string): Promise<CloseDryRun> {
  const live = await findRain(context.redis, rainId);
  if (!live) return refuse('id', `there is no live rain ${rainId}`);
  const snapshot = await readRain(context.redis, rainId, live);
  const audit = snapshot && await auditRain(context, rainId);
  if (!snapshot || !audit) return refuse('id', `the rain ${rainId} is gone`);
  return { ok: true, left: audit.equation.unclaimed.count, unclaimed: formatMoney(audit.equation.unclaimed.cents), won: snapshot.claims };
}
