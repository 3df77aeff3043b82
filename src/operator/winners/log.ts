import { shardKeys } from '../../store/keys.ts';
import { readEntries } from '../../store/rains.ts';
import { parseClaim } from '../../rain/claim.ts';
import type { OperatorContext } from '../context.ts';
import type { Logged } from './winner.ts';

/**
 * Number of entries of each shard's claim log still to be read, newest first. Entries that come later change nothing.
 */
export type Positions = readonly number[];

type Rain = { id: string; shards: number };

/**
 * `undefined`: Redis has no claim log of this rain; it was not written yet, or was settled and has expired. Without the
 * state, the log is still read.
 */
export async function logEnds(
  { redis }: Pick<OperatorContext, 'redis'>,
  { id, shards }: Rain,
): Promise<Positions | undefined> {
  const keys = Array.from({ length: shards }, (_, shard) => shardKeys(id, shard));
  if ((await Promise.all(keys.map(({ state, claims, packets }) => redis.exists(state, claims, packets)))).includes(0))
    return undefined;
  return Promise.all(keys.map(({ claims }) => redis.llen(claims)));
}

/**
 * Reads the next claims over all shards, latest first. Entries that are not claims of this rain are skipped: they are
 * dead letters.
 * @returns at most `limit` claims, and where the next page begins; at the end all positions are 0
 */
export async function readLog(
  { redis }: Pick<OperatorContext, 'redis'>,
  { id }: Rain,
  from: Positions,
  limit: number,
): Promise<{ logged: Logged[]; next: Positions }> {
  const next = [...from];
  const heads = await Promise.all(
    from.map(async (end, shard) => {
      const begin = Math.max(0, end - limit);
      const entries = end === 0 ? [] : await readEntries(redis, id, shard, begin, end);
      // The log is never popped. If it is gone meanwhile, there is nothing more to read.
      if (end > 0 && entries.length === 0) next[shard] = 0;
      return entries.map((entry, i) => ({ rainId: id, shard, index: begin + i, entry, at: wonAt(entry) })).reverse();
    }),
  );
  const logged: Logged[] = [];
  while (logged.length < limit) {
    let first: (typeof heads)[number] | undefined;
    for (const head of heads) if (head[0] && (!first?.[0] || head[0].at > first[0].at)) first = head;
    const taken = first?.shift();
    if (!taken) break;
    next[taken.shard] = taken.index;
    const parsed = parseClaim(taken.entry);
    if (parsed.ok && parsed.claim.rainId === id) logged.push({ ...taken, claim: parsed.claim });
    // This shard's page is used up; its next page may hold later wins than the rest of the others.
    if (first!.length === 0 && taken.index > 0) break;
  }
  return { logged, next };
}

/** An entry that cannot be parsed comes at once and is then skipped. */
function wonAt(entry: string): number {
  const parsed = parseClaim(entry);
  return parsed.ok ? Number(parsed.claim.at) : Infinity;
}
