import type { BookedRain } from '../../ledger/rains.ts';
import { commitmentOf } from '../../rain/commitment.ts';
import { redPacketIndex } from '../../rain/red-packet.ts';
import { release } from '../../store/holds.ts';
import { shardKeys } from '../../store/keys.ts';
import { readRain } from '../../store/rains.ts';
import { announceChange } from '../../store/transitions.ts';
import { withdraw } from '../../store/withdraw.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { refuseForeign } from '../restore/foreign.ts';
import { pauseShards } from '../restore/pauseShards.ts';
import { discardWins, readUnpayableWins, type UnpayableWin } from './unpayableWins.ts';

/** `withdrawn`: packets that nobody had won; in a dry run those that would be taken off at most. */
type GivenUp = { ok: true; told: UnpayableWin[]; withdrawn: number } | Refused;

/**
 * Whether Redis has top-ups after those that the ledger knows of this very rain.
 * @returns how many packets they have
 */
export async function lostTopUpPackets(
  { redis, ledger }: Pick<OperatorContext, 'redis' | 'ledger'>,
  rainId: string,
  shards: number,
): Promise<number> {
  const stored = await readRain(redis, rainId, { shards, title: '' });
  // A top-up that is under way is in the ledger first.
  const booked = await ledger.rain(rainId);
  if (!stored || !booked || stored.state === 'draft' || stored.packets <= booked.packets) return 0;
  const { seed, split: plan, topUps } = booked;
  const isSame = stored.commitment === undefined || stored.commitment === commitmentOf({ rainId, seed, plan, shards });
  const isPrefix = topUps.every(({ commitment }, i) => stored.topUps?.[i]?.commitment === commitment);
  return isSame && isPrefix ? stored.packets - booked.packets : 0;
}

/**
 * Takes the packets of lost top-ups off the lists: no seed and no money of them are left. Their wins are returned, to
 * be paid by hand; all else of the rain goes on. Nothing moves in the ledger. If it is cut, repeat it.
 */
export async function writeOffLostTopUp(
  context: OperatorContext,
  { id: rainId, shards, packets, topUps }: BookedRain,
  lost: number,
  { reason, dryRun }: { reason: string; dryRun: boolean },
): Promise<GivenUp> {
  const { redis, ledger, actor, signer } = context;
  const foreign = await refuseForeign(context);
  if (foreign) return foreign;
  const isLost = ({ redPacketId }: { redPacketId: string }) => (redPacketIndex(rainId, redPacketId) ?? 0) >= packets;
  const readLost = () => readUnpayableWins(context, rainId, shards, isLost);
  const found = await readLost();
  if (dryRun)
    return {
      ok: true,
      told: found,
      withdrawn: Math.max(0, lost - new Set(found.map(({ redPacketId }) => redPacketId)).size),
    };
  await ledger.record({ actor, verb: 'write-off', rainId, details: { reason, lostTopUp: lost, told: found.length } });
  await pauseShards(context, rainId, shards, false);
  // Nobody can win any more, so this is the whole list. Before the packets are gone, which show that it has to be done.
  const told = await readLost();
  await discardWins(context, told, reason);
  for (let shard = 0; shard < shards; shard++)
    await forgetMarks(
      told.flatMap(({ redPacketId, userId, amount }) => signer.creditMarks({ rainId, redPacketId, userId, amount })),
      shardKeys(rainId, shard).credited,
    );
  const withdrawn = await withdraw(redis, rainId, shards, {
    packets,
    topUps: topUps.map(({ commitment, packets: count }) => ({ commitment, packets: count })),
  });
  if (typeof withdrawn === 'string')
    return refuse('id', `somebody else changes the rain ${rainId} meanwhile (${withdrawn}); repeat this command`);
  await release(redis, rainId, shards, 'ledger_behind');
  await announceChange(redis, rainId);
  return { ok: true, told, withdrawn };

  /** An older ledger does not have their credits any more, whatever a joiner heard before. */
  async function forgetMarks(marks: readonly string[], key: string): Promise<void> {
    for (let from = 0; from < marks.length; from += 1_000) await redis.srem(key, ...marks.slice(from, from + 1_000));
  }
}

/**
 * Whether a top-up of this rain was given up. Then there are no more: their packets would have the ids of those that
 * were told.
 */
export async function hasLostTopUp({ ledger }: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<boolean> {
  return (await ledger.actions(rainId)).some(
    ({ verb, details }) => verb === 'write-off' && Object.hasOwn(details ?? {}, 'lostTopUp'),
  );
}
