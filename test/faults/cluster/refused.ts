import { Refusals, type RefusedUsers } from '../../../src/bin/up/cluster/refusals.ts';
import { shardOf } from '../../../src/store/keys.ts';
import type { Crowd } from '../users/crowd.ts';

/** The answers to the users of some shards, and to all others, since then. @param sinceMs epoch ms */
export function refusedSince(
  sinceMs: number,
  { records }: Pick<Crowd, 'records'>,
  shards: number,
  isMeant: (shard: number) => boolean,
): { its: RefusedUsers; others: RefusedUsers } {
  const refusals = new Refusals();
  refusals.begin(sinceMs);
  for (const [userId, { heard }] of records)
    for (const { code, at } of heard) if (at >= sinceMs) refusals.answered(userId, code, at);
  const meant = (userId: string) => isMeant(shardOf(userId, shards));
  return { its: refusals.of(meant), others: refusals.of((userId) => !meant(userId)) };
}

/** For the table of figures. */
export const figuresOf = ({ its, others }: ReturnType<typeof refusedSince>): Record<string, number> => ({
  'users of its shards who asked': its.users,
  'of them refused': its.refused,
  'last refused after, ms': its.untilMs,
  'one user refused for at most, ms': its.longestMs,
  'other users who asked': others.users,
  'of the others refused': others.refused,
  'others refused since, ms': others.fromMs,
  'others refused until, ms': others.untilMs,
  'other user refused for at most, ms': others.longestMs,
});
