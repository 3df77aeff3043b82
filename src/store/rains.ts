import { z } from 'zod';
import { commitment } from '../rain/commitment.ts';
import { seed } from '../rain/fairness.ts';
import { readJson } from '../rain/json.ts';
import { shownPlan, type ShownPlan } from '../rain/plan.ts';
import { TOP_UPS_MAX, type TopUpPromise } from '../rain/top-up.ts';
import { STORED_STATES, type RainWindow } from '../rain/rain.ts';
import { areUsual, type Terms } from '../rain/terms.ts';
import { toldTerms } from '../rain/terms-check.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { LIVE_RAINS_KEY, SETTLED_RAINS_KEY, SHARDS_MAX, shardKeys } from './keys.ts';

/** An entry of LIVE_RAINS_KEY: what one must know to find a rain's shards, and, for those who look at nothing else, whether what is won there is real. */
const liveRain = z.object({ shards: z.number().int().min(1).max(SHARDS_MAX), title: z.string(), rehearsal: z.literal(true).optional() });
export type LiveRain = z.infer<typeof liveRain>;

/** What is shown once a rain is settled: with the commitment and the shards, all that is needed to recompute its packets. */
export interface Reveal {
  seed: string;
  /** As the book recorded it, without the defaults: its text was committed to. */
  plan: ShownPlan;
  /** What was added since, in order; empty or absent: nothing was. */
  topUps?: readonly TopUpPromise[];
}

// A newer version may have settled it: what is revealed is passed on whole, whether it is understood here or not.
const revealedPlan = z.string().transform(readJson).pipe(shownPlan);
const topUps = z.string().transform(readJson).pipe(z.array(z.looseObject({
  commitment, packets: z.int().min(1), seed: seed.optional(), plan: shownPlan.optional(),
})).max(TOP_UPS_MAX));

/** Terms that cannot be read may be about who wins: as with one of a newer version, a gateway grants nothing then. */
const UNREADABLE = { unreadable: true } as Terms;
const storedTerms = z.string().transform(readJson).pipe(toldTerms).catch(UNREADABLE);

const shardState = z.object({
  state: z.enum(STORED_STATES),
  opensAt: z.coerce.number(),
  closesAt: z.coerce.number(),
  packets: z.coerce.number(),
  loaded: z.coerce.number(),
  // A rain can be played without these, so that it is no less a rain when they are missing or spoiled.
  commitment: commitment.optional().catch(undefined),
  seed: seed.optional().catch(undefined),
  plan: revealedPlan.optional().catch(undefined),
  topUps: topUps.optional().catch(undefined),
  terms: storedTerms.optional(),
});

/** A rain as Redis holds it, its shards added up. */
export interface RainSnapshotRead extends RainWindow {
  rainId: string;
  title: string;
  shards: number;
  terms: Terms;
  /** Planned, pushed so far, still in the lists, won, set aside: counts. */
  packets: number;
  loaded: number;
  left: number;
  claims: number;
  spoiled: number;
  /** Entries of the claim log that the queue has accepted. */
  relayed: number;
  /** The newest entry of each shard's claim log: with as many claims and the same newest ones, nothing has been won since, or lost. */
  newest: string;
  /** Absent for a rain that was created before there were commitments. */
  commitment?: string;
  /** What was added to the rain, in order, as far as players may know it; absent when nothing was. */
  topUps?: readonly TopUpPromise[];
  /** Only of a settled rain. */
  reveal?: Reveal;
}

/** Redis's clock, epoch ms. */
export async function redisNow(redis: RedisClient): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** Every rain that is not settled yet; entries that do not parse are left out: nobody could find their shards. */
export const liveRains = (redis: RedisClient): Promise<Map<string, LiveRain>> => readIndex(redis, LIVE_RAINS_KEY);

/** Settled rains whose keys may still be there. */
export const settledRains = (redis: RedisClient): Promise<Map<string, LiveRain>> => readIndex(redis, SETTLED_RAINS_KEY);

async function readIndex(redis: RedisClient, key: string): Promise<Map<string, LiveRain>> {
  const found = new Map<string, LiveRain>();
  for (const [rainId, text] of Object.entries(await redis.hgetall(key))) {
    const parsed = liveRain.safeParse(readJson(text));
    if (parsed.success) found.set(rainId, parsed.data);
  }
  return found;
}

/** One rain, live or lately settled. */
export async function findRain(redis: RedisClient, rainId: string): Promise<LiveRain | undefined> {
  const text = await redis.hget(LIVE_RAINS_KEY, rainId) ?? await redis.hget(SETTLED_RAINS_KEY, rainId);
  return text === null ? undefined : liveRain.safeParse(readJson(text)).data;
}

/** `undefined`: no such rain, or its keys have expired. Shards that disagree about the state show the least advanced one. */
export async function readRain(redis: RedisClient, rainId: string, { shards, title, rehearsal }: LiveRain): Promise<RainSnapshotRead | undefined> {
  const parts = await Promise.all(Array.from({ length: shards }, (_, shard) => readShard(redis, rainId, shard)));
  const total: RainSnapshotRead = { rainId, title, shards, terms: rehearsal ? { rehearsal } : {}, state: 'settled', opensAt: 0, closesAt: 0, packets: 0, loaded: 0, left: 0, claims: 0, spoiled: 0, relayed: 0, newest: '' };
  let reveal: Reveal | undefined;
  for (const part of parts) {
    if (!part) return undefined;
    if (STORED_STATES.indexOf(part.state) < STORED_STATES.indexOf(total.state)) total.state = part.state;
    total.opensAt = part.opensAt;
    total.closesAt = part.closesAt;
    if (part.commitment !== undefined) total.commitment = part.commitment;
    if (part.terms && !areUsual(part.terms)) total.terms = part.terms;
    // A shard that got none of the last packets knows nothing of them.
    if (part.topUps && part.topUps.length > (total.topUps?.length ?? 0)) total.topUps = part.topUps;
    if (part.seed !== undefined && part.plan !== undefined) reveal = { seed: part.seed, plan: part.plan };
    total.newest += `${part.newest ?? ''}\n`;
    for (const count of ['packets', 'loaded', 'left', 'claims', 'spoiled', 'relayed'] as const) total[count] += part[count];
  }
  if (reveal && total.state === 'settled') return { ...total, reveal };
  return total.topUps ? { ...total, topUps: total.topUps.map(({ commitment, packets }) => ({ commitment, packets })) } : total;
}

async function readShard(redis: RedisClient, rainId: string, shard: number) {
  const keys = shardKeys(rainId, shard);
  const [state, left, claims, newest, spoiled, relayed] = await Promise.all([
    redis.hgetall(keys.state), redis.llen(keys.packets), redis.llen(keys.claims), redis.lindex(keys.claims, 0), redis.llen(keys.spoiled), redis.get(keys.relayed),
  ]);
  const parsed = shardState.safeParse(state);
  return parsed.success ? { ...parsed.data, left, claims, newest, spoiled, relayed: Number(relayed ?? 0) } : undefined;
}

/** Entries of each shard's claim log. */
export function countClaims(redis: RedisClient, rainId: string, { shards }: LiveRain): Promise<number[]> {
  return Promise.all(Array.from({ length: shards }, (_, shard) => redis.llen(shardKeys(rainId, shard).claims)));
}

/** What viewers may know about how much is left: steps of a hundredth, rounded up, 0 only when none is left. */
export function coarseLeft(left: number, packets: number): number {
  const step = Math.max(1, Math.floor(packets / 100));
  return Math.min(packets, Math.ceil(left / step) * step);
}

/** List elements that are read at a time by who reads them all: few enough not to hold up grabs. */
export const ELEMENTS_PAGE = 5_000;

/** Entries `from` (inclusive) to `to` (exclusive) of a claim log, counted from the oldest, which is 0; fewer when the log ends before. */
export async function readEntries(redis: RedisClient, rainId: string, shard: number, from: number, to: number): Promise<string[]> {
  // LPUSHed: the oldest entry is at index -1, and stays there whatever is pushed meanwhile.
  const newestFirst = await redis.lrange(shardKeys(rainId, shard).claims, -to, -(from + 1));
  return newestFirst.reverse();
}
