import { z } from 'zod';
import { shardKeys } from '../grab/keys.ts';
import { readEntries } from '../grab/reading.ts';
import { amount, parseClaim } from '../rain/claim.ts';
import { readJson } from '../rain/json.ts';
import { parseMoney } from '../rain/money.ts';
import { bookOf, type Desk } from './desk.ts';

/** List elements per read: small enough not to hold up grabs. */
const PAGE = 5_000;

const packet = z.object({ redPacketId: z.string(), amount });

export interface Posted {
  userId: string;
  cents: bigint;
}

/** Where a rain's packets are, as Redis and the book tell it. */
export interface Trail {
  /** redPacketId → the first claim of it in the log. */
  claims: Map<string, Posted>;
  /** redPacketId → its credit in the book. */
  credits: Map<string, Posted>;
  /** Elements set aside, and those in a list that will be when their turn comes. One seen on its way counts as both. */
  spoiled: number;
  recycledCents: bigint;
  /** Whether this packet still lies in a list, or was not loaded yet. */
  unclaimed: (id: string, index: number) => boolean;
  /** The rain is settled and its keys have expired: only the book is left. */
  expired: boolean;
  /** What is wrong in itself: entries that do not parse, packets claimed twice. */
  problems: string[];
}

interface TracedRain {
  id: string;
  shards: number;
  packets: number;
  settledAt?: number;
}

/** Packets first, then the book, then the log: see `auditRain`. */
export async function readTrail(desk: Desk, rain: TracedRain): Promise<Trail> {
  const problems: string[] = [];
  const expired = rain.settledAt !== undefined && !(await desk.redis.exists(shardKeys(rain.id, 0).state));
  const left = new Set<string>();
  const loaded: number[] = [];
  let spoiled = 0;
  for (let shard = 0; shard < rain.shards; shard++) {
    const stock = await readPackets(desk, rain.id, shard, left, problems);
    loaded.push(stock.loaded);
    spoiled += stock.spoiled;
  }
  const credits = await readCredits(desk, rain.id);
  const { recycledCents } = await bookOf(desk, rain.id);
  const claims = new Map<string, Posted>();
  for (let shard = 0; shard < rain.shards; shard++) spoiled += await readClaims(desk, rain.id, shard, claims, problems);
  return {
    claims, credits, spoiled, recycledCents, expired, problems,
    // An expired rain's unclaimed packets are those that the book gave back: all that were not credited.
    unclaimed: (id, index) => (expired ? recycledCents > 0n : left.has(id) || Math.floor(index / rain.shards) >= loaded[index % rain.shards]!),
  };
}

/** @returns `loaded`: how many packets had been pushed before the list was read, later ones cannot have been won; `spoiled`: list elements that are no packets */
async function readPackets(desk: Desk, rainId: string, shard: number, left: Set<string>, problems: string[]): Promise<{ loaded: number; spoiled: number }> {
  const keys = shardKeys(rainId, shard);
  const [state, loaded] = await desk.redis.hmget(keys.state, 'state', 'loaded');
  if (state === null || state === 'draft') return { loaded: 0, spoiled: 0 };
  let spoiled = 0;
  // Nothing is pushed any more and grabs take from the tail, so what is counted from the head stays where it is.
  for (let from = 0, length = await desk.redis.llen(keys.packets); from < length; from += PAGE) {
    for (const element of await desk.redis.lrange(keys.packets, from, from + PAGE - 1)) {
      const parsed = packet.safeParse(readJson(element));
      if (!parsed.success) {
        spoiled++;
        continue;
      }
      if (left.has(parsed.data.redPacketId)) problems.push(`${parsed.data.redPacketId} lies in the list twice`);
      left.add(parsed.data.redPacketId);
    }
  }
  return { loaded: Number(loaded), spoiled };
}

/** redPacketId → its credit in the book. */
export async function readCredits(desk: Pick<Desk, 'ledger'>, rainId: string): Promise<Map<string, Posted>> {
  const credits = new Map<string, Posted>();
  for (let after: string | undefined; ;) {
    const page = await desk.ledger.credits(rainId, after);
    for (const { redPacketId, userId, amountCents } of page) credits.set(redPacketId, { userId, cents: amountCents });
    after = page.at(-1)?.userId;
    if (after === undefined) return credits;
  }
}

/** @returns how many elements were set aside at the moment the log was measured */
async function readClaims(desk: Desk, rainId: string, shard: number, claims: Map<string, Posted>, problems: string[]): Promise<number> {
  const keys = shardKeys(rainId, shard);
  const [[, length], [, spoiled]] = await desk.redis.multi().llen(keys.claims).llen(keys.spoiled).exec() as [[null, number], [null, number]];
  const users = new Set<string>();
  for (let from = 0; from < length; from += PAGE) {
    for (const entry of await readEntries(desk.redis, rainId, shard, from, Math.min(from + PAGE, length))) {
      const parsed = parseClaim(entry);
      if (!parsed.ok) {
        problems.push(`an entry of the claim log is no claim: ${parsed.reason}`);
        continue;
      }
      const { claim } = parsed;
      const other = claims.get(claim.redPacketId);
      if (other) problems.push(`${claim.redPacketId} is promised twice: to ${other.userId} and to ${claim.userId}`);
      if (users.has(claim.userId)) problems.push(`${claim.userId} has two claims`);
      users.add(claim.userId);
      claims.set(claim.redPacketId, { userId: claim.userId, cents: parseMoney(claim.amount)! });
    }
  }
  return spoiled;
}
