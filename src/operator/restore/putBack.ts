import { endMoves } from '../../store/endMoves.ts';
import { shardKeys, shardOf } from '../../store/keys.ts';
import { RESTORE_MAX, restoreClaims, signedEntry, signerOfShard } from '../../store/restoreClaims.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { Claim } from '../../rain/claim.ts';
import { redPacketIndex } from '../../rain/red-packet.ts';
import type { OperatorContext } from '../context.ts';
import { elementOf } from './packetElements.ts';

interface PutBack {
  /** Wins that are in the log again. */
  written: number;
  /** The claims whose packet or user has another claim by now. */
  contested: number;
  /** Wins that are not: their shard is settled, or being settled, or Redis does not have it. */
  refused: Claim[];
}

/**
 * In the order in which packets are handed out: then each lies at the tail of its list, where lua/restore.lua looks.
 */
export function inOrder<Win extends Pick<Claim, 'redPacketId'>>(rainId: string, wins: readonly Win[]): Win[] {
  const placeOf = ({ redPacketId }: Win) => redPacketIndex(rainId, redPacketId) ?? Infinity;
  return wins.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Puts wins back into Redis, and takes their packets off the lists. Call it while nobody can grab. Safe to repeat. */
export async function putBack(
  { redis, signer }: Pick<OperatorContext, 'redis' | 'signer'>,
  { id, shards }: Pick<BookedRain, 'id' | 'shards'>,
  claims: readonly Claim[],
): Promise<PutBack> {
  await endMoves(redis, id, shards);
  const done: PutBack = { written: 0, contested: 0, refused: [] };
  const ordered = inOrder(id, claims);
  for (let shard = 0; shard < shards; shard++) {
    const here = ordered.filter(({ userId }) => shardOf(userId, shards) === shard);
    for (let at = 0; at < here.length; at += RESTORE_MAX) {
      const chunk = here.slice(at, at + RESTORE_MAX);
      const reply = await restoreClaims(redis, signer, { rainId: id, shard, shards }, chunk);
      if (!Array.isArray(reply)) {
        done.refused.push(...chunk);
        continue;
      }
      done.written += reply[0] + reply[1];
      done.contested += reply[1];
      // A contested win is in the log only. Its user must not win a second packet either.
      for (const claim of chunk)
        await redis.hsetnx(shardKeys(id, shard).claimed, claim.userId, signedEntry(signer, claim));
    }
  }
  return done;
}

/**
 * Takes packets off the lists that somebody has won. The whole list is searched for each.
 * @returns how many were there
 */
export async function takeOff(
  { redis, signer }: OperatorContext,
  rain: BookedRain,
  allocation: BigInt64Array,
  redPacketIds: readonly string[],
): Promise<number> {
  let taken = 0;
  for (const id of redPacketIds) {
    const index = redPacketIndex(rain.id, id);
    if (index === undefined || index >= allocation.length) continue;
    const own = await signerOfShard(redis, signer, rain.id, 0);
    const element = elementOf({ signer: own }, rain.id, allocation, index);
    // It may have moved.
    for (let shard = 0; shard < rain.shards; shard++)
      taken += await redis.lrem(shardKeys(rain.id, shard).packets, 0, element);
  }
  return taken;
}
