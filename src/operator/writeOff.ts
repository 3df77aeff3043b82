import { leave } from '../store/campaign.ts';
import { SETTLED_TTL_MS, shardKeys } from '../store/keys.ts';
import { announceChange } from '../store/transitions.ts';
import { formatMoney } from '../rain/money.ts';
import { bookOf, refuse, type OperatorContext, type Refused } from './context.ts';
import { hasLost } from './lostRains.ts';
import { readReason } from './wording.ts';

type WrittenOff = { ok: true; /** Money that went back; a decimal string. */ amount: string } | Refused;

/**
 * Closes the ledger of a rain that Redis has lost: the rest goes back. The operator has to compensate users who were told of a win and are
 * not credited. If it is cut, repeat it.
 */
export async function writeOffRain(context: OperatorContext, rainId: string, why: string, dryRun = false): Promise<WrittenOff> {
  const given = readReason(why);
  if (!given.ok) return given;
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', `there is no rain ${rainId}`);
  if (rain.settledAt !== undefined) return refuse('id', `the rain ${rainId} is settled`);
  for (let shard = 0; shard < rain.shards; shard++) {
    const { state, claims } = shardKeys(rainId, shard);
    if (await context.redis.exists(state, claims) > 0) return refuse('id', `Redis still holds the rain ${rainId}, or part of it; end it with close`);
  }
  if (!await hasLost(context, rain)) return refuse('id', `nobody can have won in ${rainId}: load it again with load, or wait: its money goes back when its time is over`);
  if (!dryRun) await context.ledger.record({ actor: context.actor, verb: 'write-off', rainId, details: { reason: given.reason } });
  // Sealed first: nothing can be added after this, so the sums below are final.
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
