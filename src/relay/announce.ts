import { publish } from '../store/events.ts';
import { shardKeys } from '../store/keys.ts';
import { run } from '../store/scripts.ts';
import type { Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

/** Claims one event carries at most, so that no subscriber's buffer meets a surprise [R10]. */
const CLAIMS_MAX = 500;

/**
 * Tells the gateways that these claims are in the book: first where a later `join` looks it up, then to everybody who is
 * listening now. Told again after a lost reply, and harmless to hear twice.
 *
 * @throws when Redis cannot be reached; then some may have been told
 */
export async function announceCredited(redis: RedisClient, rainId: string, shard: number, claims: readonly Claim[]): Promise<void> {
  const { state, credited } = shardKeys(rainId, shard);
  for (let at = 0; at < claims.length; at += CLAIMS_MAX) {
    const part = claims.slice(at, at + CLAIMS_MAX);
    await run(redis, 'credited', [state, credited], part.map(({ userId }) => userId));
    await publish(redis, { type: 'credited', rainId, claims: part.map(({ userId, redPacketId, amount }) => ({ userId, redPacketId, amount })) });
  }
}
