import { CLAIMS_MAX, publish } from '../store/events.ts';
import { shardKeys } from '../store/keys.ts';
import { run } from '../store/scripts.ts';
import type { Signer } from '../store/signer.ts';
import type { Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

/**
 * Announces credited claims to the gateways: first in Redis, where a later `join` reads it, then to all subscribers. A
 * repetition is harmless.
 * @throws when Redis cannot be reached; then some gateways may have received it
 */
export async function announceCredited(redis: RedisClient, signer: Pick<Signer, 'creditMark'>, rainId: string, shard: number, claims: readonly Claim[]): Promise<void> {
  const { state, credited } = shardKeys(rainId, shard);
  for (let at = 0; at < claims.length; at += CLAIMS_MAX) {
    const batch = claims.slice(at, at + CLAIMS_MAX).map(({ userId, redPacketId, amount }) => ({ userId, redPacketId, amount, mark: signer.creditMark({ rainId, redPacketId, amount, userId }) }));
    await run(redis, 'credited', [state, credited], batch.map(({ mark }) => mark));
    await publish(redis, { type: 'credited', rainId, claims: batch });
  }
}
