import { publish } from '../store/events.ts';
import { shardKeys } from '../store/keys.ts';
import { run } from '../store/scripts.ts';
import type { Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

/** Claims per event at most, so that subscribers' buffers stay bounded [R10]. */
const CLAIMS_MAX = 500;

/**
 * Announces credited claims to the gateways: first in Redis, where a later `join` reads it, then to all subscribers. A
 * repetition is harmless.
 * @throws when Redis cannot be reached; then some gateways may have received it
 */
export async function announceCredited(redis: RedisClient, rainId: string, shard: number, claims: readonly Claim[]): Promise<void> {
  const { state, credited } = shardKeys(rainId, shard);
  for (let at = 0; at < claims.length; at += CLAIMS_MAX) {
    const batch = claims.slice(at, at + CLAIMS_MAX);
    await run(redis, 'credited', [state, credited], batch.map(({ userId }) => userId));
    await publish(redis, { type: 'credited', rainId, claims: batch.map(({ userId, redPacketId, amount }) => ({ userId, redPacketId, amount })) });
  }
}
