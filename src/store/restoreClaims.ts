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

/** Puts claims back that Redis has lost; see lua/restore.lua for the answer. Safe to repeat. @param claims at most RESTORE_MAX, of this shard */
export async function restoreClaims(redis: RedisClient, signer: Signer, rainId: string, shard: number, claims: readonly Omit<Claim, 'mac'>[]): Promise<RestoreReply> {
  const { state, packets, claimed, claims: log, restored } = shardKeys(rainId, shard);
  const args = claims.flatMap(({ redPacketId, amount, userId, at }) => {
    const claim: Claim = { rainId, redPacketId, amount, userId, at, mac: signer.packetMac(rainId, redPacketId, amount) };
    return [userId, JSON.stringify(claim), packetElement(signer, rainId, redPacketId, amount)];
  });
  return reply.parse(await run(redis, 'restore', [state, packets, claimed, log, restored, campaignKeys(rainId, shard).wins], args));
}
