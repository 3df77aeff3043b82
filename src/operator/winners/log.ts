import { shardKeys } from '../../store/keys.ts';
import { readEntries } from '../../store/rains.ts';
import { parseClaim } from '../../rain/claim.ts';
import type { OperatorContext } from '../context.ts';
import type { Logged } from './winner.ts';

/** How many entries of each shard's claim log are still to be read, the newest first. Entries that come later change nothing. */
export type Positions = readonly number[];

type Rain = { id: string; shards: number };

/** `undefined`: Redis has no claim log of this rain; it was not written down yet, or was settled and has expired. */
export async function logEnds({ redis }: Pick<OperatorContext, 'redis'>, { id, shards }: Rain): Promise<Positions | undefined> {
  const keys = Array.from({ length: shards }, (_, shard) => shardKeys(id, shard));
  if ((await Promise.all(keys.map(({ state }) => redis.exists(state)))).includes(0)) return undefined;
  return Promise.all(keys.map(({ claims }) => redis.llen(claims)));
}

/**
 * The next claims, the latest first, over all shards. What is no claim of this rain is passed over: the dead letters tell of it.
 * @returns at most `limit` claims, and where the next page begins; at its end all positions are 0
 */
export async function readLog({ redis }: Pick<OperatorContext, 'redis'>, { id }: Rain, from: Positions, limit: number): Promise<{ logged: Logged[]; next: Positions }> {
  const next = [...from];
  const heads = await Promise.all(from.map(async (end, shard) => {
    const begin = Math.max(0, end - limit);
    const entries = end === 0 ? [] : await readEntries(redis, id, shard, begin, end);
    // The log is never popped; should it be gone meanwhile, there is nothing more to read.
    if (end > 0 && entries.length === 0) next[shard] = 0;
    return entries.map((entry, i) => ({ shard, index: begin + i, entry, at: wonAt(entry) })).reverse();
  }));
  const logged: Logged[] = [];
  while (logged.length < limit) {
    let first: (typeof heads)[number] | undefined;
    for (const head of heads) if (head[0] && (!first?.[0] || head[0].at > first[0].at)) first = head;
    const taken = first?.shift();
    if (!taken) break;
    next[taken.shard] = taken.index;
    const parsed = parseClaim(taken.entry);
    if (parsed.ok && parsed.claim.rainId === id) logged.push({ claim: parsed.claim, shard: taken.shard, index: taken.index, entry: taken.entry });
    // Its page is used up and may go on in another one, which might be later than what the others still hold.
    if (first!.length === 0 && taken.index > 0) break;
  }
  return { logged, next };
}

/** What cannot be read comes at once, to be passed over. */
function wonAt(entry: string): number {
  const parsed = parseClaim(entry);
  return parsed.ok ? Number(parsed.claim.at) : Infinity;
}
