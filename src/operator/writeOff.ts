import { leave } from '../store/campaign.ts';
import { shardKeys } from '../store/keys.ts';
import { SETTLED_TTL_MS } from '../store/keys.ts';
import { announceChange } from '../store/transitions.ts';
import { formatMoney } from '../rain/money.ts';
import { bookOf, refuse, type OperatorContext, type Refused } from './context.ts';
import { hasLost } from './lostRains.ts';
import { readReason } from './wording.ts';

type WrittenOff = { ok: true; /** What went back. */ amount: string } | Refused;

/**
 * Ends the book of a rain that Redis has lost, all of it: what is credited stays credited, the rest goes back to the operator.
 * Who was told that he won and is not credited is not known any more: that is for him to make good, and why he says what
 * happened. Cut in between it is to be done again.
 * @param dryRun only say what would go back
 */
export async function writeOffRain(context: OperatorContext, rainId: string, why: string, dryRun = false): Promise<WrittenOff> {
  const given = readReason(why);
  if (!given.ok) return given;
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', `there is no rain ${rainId}`);
  if (rain.settledAt !== undefined) return refuse('id', `the rain ${rainId} is settled`);
  for (let shard = 0; shard < rain.shards; shard++) {
    const { state, claims } = shardKeys(rainId, shard);
    if (await context.redis.exists(state, claims) > 0) return refuse('id', `Redis still holds the rain ${rainId}, or a part of it; end it with close`);
  }
  if (!await hasLost(context, rain)) return refuse('id', `nobody can have won in ${rainId}: it is loaded once more with load, or given back when its time is over`);
  if (!dryRun) await context.ledger.record({ actor: context.actor, verb: 'write-off', rainId, details: { reason: given.reason } });
  // Nothing is added any more: what is counted now is all there is.
  if (!dryRun) await context.ledger.seal(rainId);
  const { fundedCents, credited, discarded, recycledCents } = await bookOf(context, rainId);
  const restCents = fundedCents - credited.cents - discarded.cents - recycledCents;
  const back = { ok: true, amount: formatMoney(recycledCents + (recycledCents === 0n ? restCents : 0n)) } as const;
  if (dryRun) return back;
  if (recycledCents === 0n) await context.ledger.recycle(rainId, restCents, context.actor);
  await context.ledger.settle(rainId);
  await leave(context.redis, rainId, rain.shards, SETTLED_TTL_MS);
  await announceChange(context.redis, rainId);
  return back;
}
