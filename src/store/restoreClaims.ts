import { z } from 'zod';
import type { Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { campaignKeys, shardKeys } from './keys.ts';
import { packetElement } from './loadPackets.ts';
import { run } from './scripts.ts';
import type { Signer } from './signer.ts';

/** Claims per call of restore.lua: in the worst case it searches the packet list once for each claim. */
export const RESTORE_MAX = 32;

const reply = z.union([z.tuple([z.int(), z.int(), z.int()]), z.enum(['settled', 'frozen']), z.null()]);
type RestoreReply = z.infer<typeof reply>;

/** A claim as Redis holds it: a gateway tells only packets that are signed. Call it for claims that the plan holds. */
export function signedEntry(signer: Signer, { rainId, redPacketId, amount, userId, at }: Omit<Claim, 'mac'>): string {
  return JSON.stringify({
    rainId,
    redPacketId,
    amount,
    userId,
    at,
    mac: signer.packetMac(rainId, redPacketId, amount),
  } satisfies Claim);
}

/**
 * Says that a contested claim is in the log already. Somebody who could write it for another win would keep that win
 * out of the log. @param signer of the shard
 */
export function restoredMark(signer: Pick<Signer, 'receipt'>, claim: Omit<Claim, 'mac' | 'at'>): string {
  return `${claim.redPacketId}\n${claim.userId}\n${signer.receipt(claim)}`;
}

/**
 * The signer with the key of this shard's packets, to write or find a list element byte for byte; with one key alone,
 * that one.
 */
export async function signerOfShard(
  redis: RedisClient,
  signer: Signer,
  rainId: string,
  shard: number,
): Promise<Signer> {
  return signer.keyIds.length === 1
    ? signer
    : (signer.under(await redis.hget(shardKeys(rainId, shard).state, 'signedBy')) ?? signer);
}

/** Elements of a list from its tail on in which a lost packet is looked for, as in lua/restore.lua [R10]. */
export const DEPTH_MAX = 10_000;

/**
 * Puts claims back that Redis has lost; see lua/restore.lua for the answer. Safe to repeat.
 * @param claims at most RESTORE_MAX, of this shard @param shards of the rain: a packet that this shard does not have
 *   may lie in another one
 */
export async function restoreClaims(
  redis: RedisClient,
  signer: Signer,
  { rainId, shard, shards }: { rainId: string; shard: number; shards: number },
  claims: readonly Omit<Claim, 'mac'>[],
): Promise<RestoreReply> {
  const { state, packets, claimed, claims: log, restored } = shardKeys(rainId, shard);
  const own = await signerOfShard(redis, signer, rainId, shard);
  const elements = claims.map(({ redPacketId, amount }) => packetElement(own, rainId, redPacketId, amount));
  const args = claims.flatMap((claim, i) => [
    claim.userId,
    signedEntry(own, claim),
    elements[i]!,
    restoredMark(own, claim),
  ]);
  const done = reply.parse(
    await run(redis, 'restore', [state, packets, claimed, log, restored, campaignKeys(rainId, shard).wins], args),
  );
  // Its move was lost on both sides: the lender has it again, and would hand it out.
  if (Array.isArray(done) && done[1] > 0)
    for (let other = 0; other < shards; other++)
      if (other !== shard) await takeOff(redis, shardKeys(rainId, other).packets, elements);
  return done;
}

async function takeOff(redis: RedisClient, list: string, elements: readonly string[]): Promise<void> {
  for (const element of elements) {
    if ((await redis.lpos(list, element, 'RANK', -1, 'MAXLEN', DEPTH_MAX)) !== null)
      await redis.lrem(list, -1, element);
  }
}
