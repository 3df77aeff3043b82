import { shardKeys } from '../store/keys.ts';
import { SETTLED_TTL_MS } from '../store/keys.ts';
import { readEntries } from '../store/rains.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { parseClaim, type Claim } from '../rain/claim.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';

/** Entries of one shard per read; a replay holds one page of each shard in memory. */
const PAGE = 1_000;

/** The position of an entry in the claim log; the oldest entry of a shard is 0. */
interface Place {
  shard: number;
  index: number;
}

/** One entry of the claim log. */
export type Replayed = Place & { entry: string } & ({ ok: true; claim: Claim } | { ok: false; reason: string });

type Replay = { ok: true; rain: BookedRain; entries: AsyncGenerator<Replayed, void> } | Refused;

/**
 * Reads who won what and when from the claim log ALONE, ordered by Redis's clock. Entries of one shard stay in the order in
 * which they were won. Wins after the call are not included.
 * @returns a refusal when there is no log to read, with the time when it expired
 */
export async function openReplay(context: OperatorContext, rainId: string): Promise<Replay> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', `there is no rain ${rainId}`);
  const shards = Array.from({ length: rain.shards }, (_, shard) => shardKeys(rainId, shard));
  const present = await Promise.all(shards.map(({ state }) => context.redis.exists(state)));
  if (present.includes(0)) {
    if (rain.settledAt === undefined) return refuse('id', `Redis has no claim log of the rain ${rainId}: it was never written there, or is lost; only the ledger has its data`);
    const expired = new Date(rain.settledAt + SETTLED_TTL_MS).toISOString();
    return refuse('id', `the rain ${rainId} was settled at ${new Date(rain.settledAt).toISOString()} and its claim log expired at ${expired}; only the ledger has its data`);
  }
  const lengths = await Promise.all(shards.map(({ claims }) => context.redis.llen(claims)));
  return { ok: true, rain, entries: merge(lengths.map((length, shard) => readShard(context, rainId, shard, length))) };
}

async function* readShard({ redis }: OperatorContext, rainId: string, shard: number, length: number): AsyncGenerator<Replayed, void> {
  for (let from = 0; from < length; from += PAGE) {
    const page = await readEntries(redis, rainId, shard, from, Math.min(from + PAGE, length));
    for (const [i, entry] of page.entries()) {
      const parsed = parseClaim(entry);
      const foreign = parsed.ok && parsed.claim.rainId !== rainId;
      yield { shard, index: from + i, entry, ...(foreign ? { ok: false, reason: `it is of rain ${parsed.claim.rainId}` } : parsed) };
    }
  }
}

/** Yields the oldest of the shards' next entries first. An entry that is not a claim has no time and comes at once. */
async function* merge(sources: readonly AsyncGenerator<Replayed, void>[]): AsyncGenerator<Replayed, void> {
  const heads = await Promise.all(sources.map((source) => source.next()));
  for (;;) {
    let first = -1;
    let earliest = Infinity;
    heads.forEach((head, i) => {
      if (head.done) return;
      const at = head.value.ok ? Number(head.value.claim.at) : -1;
      if (at < earliest) [first, earliest] = [i, at];
    });
    const head = heads[first];
    if (!head || head.done) return;
    yield head.value;
    heads[first] = await sources[first]!.next();
  }
}
