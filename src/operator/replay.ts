import { SETTLED_TTL_MS } from '../store/keys.ts';
import type { LogEntry } from '../credit/deadLetter.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { parseClaim, type Claim } from '../rain/claim.ts';
import { iso } from '../rain/figures.ts';
import { logPages } from './audit/claimLog.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { unknownReason } from './restore/presence.ts';
import { logEnds } from './winners/log.ts';

/** Entries of one shard per read; a replay holds one page of each shard in memory. */
const PAGE = 1_000;

/** One entry of the claim log, and the claim in it. */
export type Replayed = LogEntry & ({ ok: true; claim: Claim } | { ok: false; reason: string });

type Replay = { ok: true; rain: BookedRain; entries: AsyncGenerator<Replayed, void> } | Refused;

/**
 * Reads who won what and when from the claim log ALONE, by Redis's clock, each shard in its order. Later wins are not
 * included.
 * @returns a refusal when there is no log to read, with the time when it expired
 */
export async function openReplay(context: OperatorContext, rainId: string): Promise<Replay> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', await unknownReason(context, rainId));
  const lengths = await logEnds(context, rain);
  if (lengths)
    return {
      ok: true,
      rain,
      entries: merge(lengths.map((length, shard) => readShard(context, rainId, shard, length))),
    };
  if (rain.settledAt === undefined)
    return refuse(
      'id',
      `Redis has no claim log of the rain ${rainId}: it was never written there, or is lost; see rain restore check ${rainId}`,
    );
  return refuse(
    'id',
    `the rain ${rainId} was settled at ${iso(rain.settledAt)} and its claim log expired at ${iso(rain.settledAt + SETTLED_TTL_MS)}; only the ledger has its data`,
  );
}

async function* readShard(
  { redis }: OperatorContext,
  rainId: string,
  shard: number,
  length: number,
): AsyncGenerator<Replayed, void> {
  for await (const page of logPages(redis, rainId, shard, { length, page: PAGE })) {
    for (const place of page) {
      const parsed = parseClaim(place.entry);
      const foreign = parsed.ok && parsed.claim.rainId !== rainId;
      yield { ...place, ...(foreign ? { ok: false, reason: `it is of rain ${parsed.claim.rainId}` } : parsed) };
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
