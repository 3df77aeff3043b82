import { shardKeys, shardOf } from '../../store/keys.ts';
import { RESTORE_MAX, restoreClaims, signedEntry, signerOfShard } from '../../store/restoreClaims.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { Claim } from '../../rain/claim.ts';
import { redPacketIndex } from '../../rain/red-packet.ts';
import type { OperatorContext } from '../context.ts';
import { elementOf } from './packetElements.ts';

/** `written` wins are in the log again; `refused` ones are not: their shard is settled, or being settled. */
interface PutBack {
  written: number;
  refused: Claim[];
}

/** Puts wins back into Redis, and takes their packets off the lists. Call it while nobody can grab. Safe to repeat. */
export async function putBack({ redis, signer }: OperatorContext, { id, shards }: BookedRain, claims: readonly Claim[]): Promise<PutBack> {
  const done: PutBack = { written: 0, refused: [] };
  for (let shard = 0; shard < shards; shard++) {
    const here = claims.filter(({ userId }) => shardOf(userId, shards) === shard);
    for (let at = 0; at < here.length; at += RESTORE_MAX) {
      const chunk = here.slice(at, at + RESTORE_MAX);
      const reply = await restoreClaims(redis, signer, id, shard, chunk);
      if (!Array.isArray(reply)) {
        done.refused.push(...chunk);
        continue;
      }
      done.written += reply[0] + reply[1];
      // A contested win is in the log only. Its user must not win a second packet either.
      for (const claim of chunk) await redis.hsetnx(shardKeys(id, shard).claimed, claim.userId, signedEntry(signer, claim));
    }
  }
  return done;
}

/** Takes packets off the lists that somebody has won. The whole list is searched for each. @returns how many were there */
export async function takeOff({ redis, signer }: OperatorContext, rain: BookedRain, allocation: BigInt64Array, redPacketIds: readonly string[]): Promise<number> {
  let taken = 0;
  for (const id of redPacketIds) {
    const index = redPacketIndex(rain.id, id);
    if (index === undefined || index >= allocation.length) continue;
    const shard = index % rain.shards;
    const own = await signerOfShard(redis, signer, rain.id, shard);
    taken += await redis.lrem(shardKeys(rain.id, shard).packets, 0, elementOf({ signer: own }, rain.id, allocation, index));
  }
  return taken;
}
