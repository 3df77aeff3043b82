import { shardKeys, shardOf } from '../../store/keys.ts';
import type { LogEntry } from '../../credit/deadLetter.ts';
import { parseClaim, type Claim } from '../../rain/claim.ts';
import { checkReceipt } from '../../rain/commitment.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { logPages } from '../audit/claimLog.ts';
import type { OperatorContext } from '../context.ts';

/** The claims of one shard as Redis holds them. */
export interface ShardClaims {
  /** Length of the claim log when it was read. */
  logLength: number;
  /** Claims of the log that the plan holds, oldest first, with their places. */
  logged: (LogEntry & { claim: Claim })[];
  /** userId → the user's claim, as far as it can be read. */
  byUser: Map<string, Claim>;
}

/** Reads the log, then the claims by user. */
export async function readShardClaims(
  { redis }: Pick<OperatorContext, 'redis'>,
  rain: BookedRain,
  allocation: BigInt64Array,
  shard: number,
): Promise<ShardClaims> {
  const keys = shardKeys(rain.id, shard);
  const logLength = await redis.llen(keys.claims);
  const logged: ShardClaims['logged'] = [];
  for await (const page of logPages(redis, rain.id, shard, { length: logLength })) {
    for (const place of page) {
      const parsed = parseClaim(place.entry);
      if (parsed.ok && isPlanned(rain, allocation, parsed.claim, shard)) logged.push({ ...place, claim: parsed.claim });
    }
  }
  const byUser = new Map<string, Claim>();
  for (let cursor = '0'; ;) {
    const [next, fields] = await redis.hscan(keys.claimed, cursor, 'COUNT', 1_000);
    for (let i = 0; i < fields.length; i += 2) {
      const parsed = parseClaim(fields[i + 1]!);
      if (parsed.ok && parsed.claim.userId === fields[i] && isPlanned(rain, allocation, parsed.claim, shard))
        byUser.set(fields[i]!, parsed.claim);
    }
    if (next === '0') return { logLength, logged, byUser };
    cursor = next;
  }
}

/**
 * Whether the plan holds this win: the packet, with this amount, in the shard of this user. Packets move from shard to
 * shard, users do not.
 */
export function isPlanned(
  { id, shards }: Pick<BookedRain, 'id' | 'shards'>,
  allocation: BigInt64Array,
  claim: Pick<Claim, 'rainId' | 'redPacketId' | 'amount' | 'userId'>,
  shard = shardOf(claim.userId, shards),
): boolean {
  return checkReceipt(allocation, id, claim).outcome === 'ok' && shardOf(claim.userId, shards) === shard;
}
