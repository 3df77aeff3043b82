import type { LogEntry } from '../../credit/deadLetter.ts';
import { shardKeys } from '../../store/keys.ts';
import { ELEMENTS_PAGE, readEntries } from '../../store/rains.ts';
import { isEntryOf, parseClaim, type Claim } from '../../rain/claim.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { restoredMark, signerOfShard } from '../../store/restoreClaims.ts';
import type { OperatorContext } from '../context.ts';
import type { TamperingList } from './tampering.ts';
import type { UserSet } from './userDigest.ts';

/** A claim of the log that the plan holds, with its place. */
export type ValidEntry = LogEntry & { claim: Claim };

/** Missing users kept in one audit; the next one finds the others [R10]. */
const MISSING_MAX = 10_000;

/**
 * Compares one page of the log with the dedupe hash. The page was read before, and both are written in one step: a
 * missing user was removed. A contested claim that a gateway put back after a failover is in the log, and marked as
 * restored.
 * @param named users of all claims of the page; those whom the hash knows are added to `users`
 */
export async function compareClaimed(
  { redis, signer }: Pick<OperatorContext, 'redis' | 'signer'>,
  { rainId, shard }: Pick<LogEntry, 'rainId' | 'shard'>,
  named: readonly string[],
  real: readonly ValidEntry[],
  users: Pick<UserSet, 'add'>,
  logged: { missing: ValidEntry[]; restored: Set<string> },
  tampering: TamperingList,
): Promise<void> {
  if (named.length === 0) return;
  const keys = shardKeys(rainId, shard);
  const unique = [...new Set(named)];
  const held = new Map((await redis.hmget(keys.claimed, ...unique)).map((entry, i) => [unique[i]!, entry]));
  for (const [user, entry] of held) if (entry !== null) users.add(user);
  const different = real.filter(({ claim }) => !isEntryOf(held.get(claim.userId), claim));
  const own = different.length === 0 ? signer : await signerOfShard(redis, signer, rainId, shard);
  const contested = await Promise.all(
    different.map(({ claim }) => redis.sismember(keys.restored, restoredMark(own, claim))),
  );
  for (const [i, place] of different.entries()) {
    const { userId, redPacketId } = place.claim;
    if (contested[i] === 1) logged.restored.add(redPacketId);
    else if (typeof held.get(userId) === 'string') {
      tampering.note(
        'claimed_differs',
        redPacketId,
        `${redPacketId} was won by ${userId}, and Redis would tell ${userId} of another win`,
      );
    } else {
      if (logged.missing.length < MISSING_MAX) logged.missing.push(place);
      tampering.note(
        'claimed_missing',
        redPacketId,
        `${redPacketId} was won by ${userId}, and Redis would let ${userId} win again`,
      );
    }
  }
}

/** Users named in one audit, roughly [R10]. */
const UNLOGGED_MAX = 10_000;

/**
 * Names the users whom the dedupe hash has and the log has not.
 * @param length entries of the log that were read, `users` those who are in them
 */
export async function nameUnlogged(
  redis: RedisClient,
  { rainId, shard, length }: { rainId: string; shard: number; length: number },
  users: Pick<UserSet, 'has'>,
  tampering: TamperingList,
): Promise<void> {
  const keys = shardKeys(rainId, shard);
  const unlogged = new Set<string>();
  let cursor = '0';
  do {
    const [next, fields] = await redis.hscan(keys.claimed, cursor, 'COUNT', ELEMENTS_PAGE);
    for (let i = 0; i < fields.length; i += 2) if (!users.has(fields[i]!)) unlogged.add(fields[i]!);
    cursor = next;
  } while (cursor !== '0' && unlogged.size < UNLOGGED_MAX);
  // Later winners are in the rest of the log.
  const end = await redis.llen(keys.claims);
  for (let from = length; from < end && unlogged.size > 0; from += ELEMENTS_PAGE) {
    for (const entry of await readEntries(redis, rainId, shard, from, Math.min(from + ELEMENTS_PAGE, end))) {
      const parsed = parseClaim(entry);
      if (parsed.ok) unlogged.delete(parsed.claim.userId);
    }
  }
  for (const user of unlogged)
    tampering.note('claimed_unlogged', user, `${user} is told of a win that the claim log does not have`);
}
