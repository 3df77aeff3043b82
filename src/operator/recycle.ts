import { findRain } from '../store/rains.ts';
import { formatMoney } from '../rain/money.ts';
import { SETTLE_AFTER_RECONNECT_MS } from '../platform/redis/reconnectTimer.ts';
import { bookOf, refuse, type OperatorContext, type Refused } from './context.ts';
import { settleDryRun } from './settleDryRun.ts';
import { settleRain, type AfterReconnect, type Replicated } from './settle.ts';

type Recycled = { ok: true; state: 'settled'; /** What went back, discarded claims included. */ amount: string } | Refused;

interface RecycleOptions extends AfterReconnect {
  /** Asked before money moves. */
  replicated?: Replicated | undefined;
  /** Only say what would go back, or what is in the way. */
  dryRun?: boolean | undefined;
}

/**
 * Settles a rain that is over, now and by hand, as the workers would by themselves: gives back what nobody has won and closes the
 * book. Or says what has to happen before. Safe to repeat.
 */
export async function recycleRain(context: OperatorContext, rainId: string, { replicated, sinceReturn = () => Infinity, settleAfterReconnectMs = SETTLE_AFTER_RECONNECT_MS, dryRun = false }: RecycleOptions = {}): Promise<Recycled> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', `there is no rain ${rainId}`);
  if (rain.settledAt === undefined && sinceReturn() < settleAfterReconnectMs) {
    return refuse('state', `Redis was away a moment ago, and what it has forgotten is being put back; do it again in ${Math.ceil(settleAfterReconnectMs / 1_000)} seconds`);
  }
  const live = await findRain(context.redis, rainId);
  if (!live && rain.settledAt === undefined) return refuse('id', `Redis does not know the rain ${rainId}; was it ever loaded? What is lost is ended with write-off`);
  const settling = !live ? { outcome: 'settled' as const } : dryRun ? await settleDryRun(context, rain, live) : await settleRain(context, rainId, live, undefined, replicated);
  switch (settling.outcome) {
    case 'foreseen': return { ok: true, state: 'settled', amount: formatMoney(settling.backCents) };
    case 'settled': {
      const { recycledCents, discarded } = await bookOf(context, rainId);
      return { ok: true, state: 'settled', amount: formatMoney(recycledCents + discarded.cents) };
    }
    case 'not_due': return refuse('state', `the rain ${rainId} goes on until ${new Date(rain.closesAt).toISOString()}; end it first with close`);
    case 'lost': return refuse('id', `Redis has lost the rain ${rainId}; what was won is not known there, end it with write-off`);
    case 'waiting': return refuse('state', settling.pending > 0
      ? `won and not yet credited: ${settling.pending}; a worker credits them, or dead letters wait for an answer`
      : 'the replicas do not have its end yet, or wins were put back this moment; do it again');
    case 'does_not_add_up': return { ok: false, refusals: settling.problems.map((reason) => ({ field: 'audit', reason })) };
    default: return settling satisfies never;
  }
}
