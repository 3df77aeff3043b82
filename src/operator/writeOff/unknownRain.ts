import { release } from '../../store/holds.ts';
import { shardKeys } from '../../store/keys.ts';
import { readRain, type LiveRain } from '../../store/rains.ts';
import { close, settle } from '../../store/transitions.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { refuseForeign } from '../restore/foreign.ts';
import { keepKeys, KEPT_MS } from '../restore/keepKeys.ts';
import { discardWins, readUnpayableWins, type UnpayableWin } from './unpayableWins.ts';

interface Options {
  reason: string;
  dryRun: boolean;
  /** The operator's word that this database replaces the one that Redis was used with. */
  newDatabase: boolean;
}

/**
 * Ends a rain that only Redis knows: no seed, no plan and no money of it are left, so nobody is paid by the ledger. Its
 * winners are returned, to be paid by hand, and their keys are kept. If it is cut, repeat it.
 */
export async function writeOffUnknownRain(
  context: OperatorContext,
  rainId: string,
  live: LiveRain,
  { reason, dryRun, newDatabase }: Options,
): Promise<{ ok: true; told: UnpayableWin[] } | Refused> {
  const { redis, ledger, actor } = context;
  const foreign = newDatabase ? undefined : await refuseForeign(context);
  if (foreign) return foreign;
  const found = await readUnpayableWins(context, rainId, live.shards);
  if (dryRun) return { ok: true, told: found };
  await ledger.record({ actor, verb: 'write-off', rainId, details: { reason, unknown: true, told: found.length } });
  await close(redis, rainId, live.shards, 'early');
  // Nobody can win any more, so this is the whole list.
  const told = await readUnpayableWins(context, rainId, live.shards);
  await discardWins(context, told, reason);
  if (!(await settle(redis, rainId, live, { ttlMs: KEPT_MS })))
    return refuse('id', `somebody else changes the rain ${rainId} meanwhile; repeat this command`);
  await keepKeys(context, rainId, live.shards);
  for (let shard = 0; shard < live.shards; shard++) await redis.del(shardKeys(rainId, shard).credited);
  await release(redis, rainId, live.shards, 'unknown_to_ledger');
  return { ok: true, told };
}

/** Whether the operator has given up this rain, which the ledger does not know, and it has ended. */
export async function isWrittenOff(
  { redis, ledger }: OperatorContext,
  rainId: string,
  live: LiveRain,
): Promise<boolean> {
  const stored = await readRain(redis, rainId, live);
  return stored?.state === 'settled' && (await ledger.actions(rainId)).some(({ verb }) => verb === 'write-off');
}
