import { z } from 'zod';
import { commitment, TOP_UPS_MAX, type TopUpPromise } from '../rain/commitment.ts';
import { seed } from '../rain/fairness.ts';
import { readJson } from '../rain/json.ts';
import { shownPlan, type ShownPlan } from '../rain/plan.ts';
import { STORED_STATES, type RainWindow } from '../rain/rain.ts';
import { areUsual, type Terms } from '../rain/terms.ts';
import { parseTicketRules } from '../rain/ticket-rules-check.ts';
import { strictest, type TicketRules } from '../rain/ticketRules.ts';
import { recordedTerms } from '../rain/terms-check.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { LIVE_RAINS_KEY, RAINS_VERSION_KEY, SETTLED_RAINS_KEY, SHARDS_MAX, shardKeys } from './keys.ts';
import { findInIndex, readIndex } from './liveIndex.ts';
import type { HashLimits } from './readHash.ts';
import { run } from './scripts.ts';
import type { Signer } from './signer.ts';

/**
 * An entry of LIVE_RAINS_KEY: the way to the shards of a rain, and whether its prizes are real (for readers of the
 * index only).
 */
const liveRain = z.object({
  shards: z.number().int().min(1).max(SHARDS_MAX),
  title: z.string(),
  rehearsal: z.literal(true).optional(),
});
export type LiveRain = z.infer<typeof liveRain>;

/** The facts published once a rain is settled. With the commitment and the shards anybody can recompute its packets. */
export interface Reveal {
  seed: string;
  /** As the ledger recorded it, without defaults: the commitment covers this text. */
  plan: ShownPlan;
  /** The top-ups, in order; empty or absent: none. */
  topUps?: readonly TopUpPromise[];
}

// A newer version may have settled the rain. The reveal is passed on whole, even if this version does not understand
// all of it.
const revealedPlan = z.string().transform(readJson).pipe(shownPlan);
const topUps = z
  .string()
  .transform(readJson)
  .pipe(
    z
      .array(
        z.looseObject({
          commitment,
          packets: z.int().min(1),
          seed: seed.optional(),
          plan: shownPlan.optional(),
        }),
      )
      .max(TOP_UPS_MAX),
  );

/** Unreadable terms may restrict who can win. A gateway then grants nothing, as with terms of a newer version. */
const UNREADABLE = { unreadable: true } as Terms;
const storedTerms = z.string().transform(readJson).pipe(recordedTerms).catch(UNREADABLE);

const shardState = z.object({
  state: z.enum(STORED_STATES),
  opensAt: z.coerce.number(),
  closesAt: z.coerce.number(),
  packets: z.coerce.number(),
  loaded: z.coerce.number(),
  // A rain works without these fields, so a missing or corrupt one does not make the rain unreadable.
  commitment: commitment.optional().catch(undefined),
  seed: seed.optional().catch(undefined),
  plan: revealedPlan.optional().catch(undefined),
  topUps: topUps.optional().catch(undefined),
  terms: storedTerms.optional(),
  signedBy: z.string().optional(),
  ticketRules: z.string().transform(parseTicketRules).optional(),
  // Absent with one shard, in rains from before packets moved, and once nothing is left in any shard.
  elsewhere: z.string().optional(),
  // Also an empty one keeps packets from being granted.
  held: z.string().optional(),
});

/** A rain as stored in Redis, summed over its shards. */
export interface StoredRain extends RainWindow {
  rainId: string;
  title: string;
  shards: number;
  terms: Terms;
  /** Counts of packets: planned, pushed so far, left in the lists, won, set aside as malformed. */
  packets: number;
  loaded: number;
  left: number;
  claims: number;
  spoiled: number;
  /** Entries of the claim log that the queue has accepted. */
  relayed: number;
  /**
   * No packet is left in any shard, and none is on its way to one [R13]. The lists are read one after the other, so
   * `left` alone does not say it.
   */
  drained: boolean;
  /**
   * The newest entry of each shard's claim log. If `claims` and `newest` are unchanged, no win was added or lost in
   * between.
   */
  newest: string;
  /** Absent: none. */
  ticketRules?: TicketRules;
  /** Why nothing is granted at present, see `holds.ts`. */
  held?: string;
  /** Absent for a rain from before commitments existed. */
  commitment?: string;
  /** The top-ups as far as players may know them, in order; absent if there are none. */
  topUps?: readonly TopUpPromise[];
  /** Name of the key that its packets are signed with; absent for a rain from before packets were signed. */
  signedBy?: string;
  /** Only for a settled rain. */
  reveal?: Reveal;
  /** Shards of which Redis has nothing that can be read, while it has others; absent: none. */
  lostShards?: readonly number[];
}

/** Redis's clock, epoch ms. */
export async function redisNow(redis: RedisClient): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** Longer than any version. */
const VERSION_BYTES_MAX = 64;

/** See RAINS_VERSION_KEY; `undefined`: there is none, or somebody else has put something else there. */
export async function rainsVersion(redis: RedisClient): Promise<string | undefined> {
  return (await redis.getrange(RAINS_VERSION_KEY, 0, VERSION_BYTES_MAX - 1).catch(() => '')) || undefined;
}

/** Every rain that is not settled yet. Entries that do not parse are left out: their shards are unknown. */
export const liveRains = (redis: RedisClient): Promise<Map<string, LiveRain>> =>
  readIndex(redis, LIVE_RAINS_KEY, liveRain);

/** Settled rains whose keys may still exist. */
export const settledRains = (redis: RedisClient): Promise<Map<string, LiveRain>> =>
  readIndex(redis, SETTLED_RAINS_KEY, liveRain);

/** The fields of a state and a few that a newer version may add; the plans of all top-ups are the most of it [R10]. */
export const STATE_LIMITS: HashLimits = { fieldsMax: 64, bytesMax: 4_194_304 };

/** Whether this rain is listed as not settled yet. */
export const isLiveRain = async (redis: RedisClient, rainId: string): Promise<boolean> =>
  (await redis.hexists(LIVE_RAINS_KEY, rainId)) === 1;

/** Looked at for a rain whose number of shards is not known: not all are on the master that was lost. */
const LOOKED_AT = [0, 1, 2];

/** Whether Redis has shards of this rain that are not settled: their index may have been on another master. */
export async function isUnindexedRain(redis: RedisClient, rainId: string): Promise<boolean> {
  const states = await Promise.all(LOOKED_AT.map((shard) => redis.hget(shardKeys(rainId, shard).state, 'state')));
  return states.some((state) => state !== null && state !== 'settled');
}

/** Finds one rain, live or recently settled. */
export const findRain = (redis: RedisClient, rainId: string): Promise<LiveRain | undefined> =>
  findInIndex(redis, [LIVE_RAINS_KEY, SETTLED_RAINS_KEY], rainId, liveRain);

/** `undefined`: no such rain, its keys have expired, or Redis has lost some of its shards. */
export async function readRain(redis: RedisClient, rainId: string, live: LiveRain): Promise<StoredRain | undefined> {
  const stored = await readRemains(redis, rainId, live);
  return stored?.lostShards ? undefined : stored;
}

/**
 * The same of a rain of which Redis may have lost shards, summed over those that it has; `undefined`: it has none. If
 * they disagree about the state, the least advanced state counts.
 */
export async function readRemains(
  redis: RedisClient,
  rainId: string,
  { shards, title, rehearsal }: LiveRain,
): Promise<StoredRain | undefined> {
  const shardStates = await Promise.all(Array.from({ length: shards }, (_, shard) => readShard(redis, rainId, shard)));
  const total: StoredRain = {
    rainId,
    title,
    shards,
    terms: rehearsal ? { rehearsal } : {},
    state: 'settled',
    opensAt: 0,
    closesAt: 0,
    packets: 0,
    loaded: 0,
    left: 0,
    claims: 0,
    spoiled: 0,
    relayed: 0,
    drained: true,
    newest: '',
  };
  let reveal: Reveal | undefined;
  const lostShards = shardStates.flatMap((shard, at) => (shard ? [] : [at]));
  if (lostShards.length === shards) return undefined;
  // Lost packets may come back.
  if (lostShards.length > 0) Object.assign(total, { lostShards, drained: false });
  for (const shard of shardStates) {
    if (!shard) continue;
    addShard(total, shard);
    if (shard.seed !== undefined && shard.plan !== undefined) reveal = { seed: shard.seed, plan: shard.plan };
  }
  if (reveal && total.state === 'settled') return { ...total, reveal };
  return {
    ...total,
    ...(total.topUps && {
      topUps: total.topUps.map((topUp) => ({ commitment: topUp.commitment, packets: topUp.packets })),
    }),
  };
}

type StoredShard = NonNullable<Awaited<ReturnType<typeof readShard>>>;

function addShard(total: StoredRain, shard: StoredShard): void {
  if (STORED_STATES.indexOf(shard.state) < STORED_STATES.indexOf(total.state)) total.state = shard.state;
  if (shard.ticketRules) total.ticketRules = strictest(shard.ticketRules, total.ticketRules);
  total.opensAt = shard.opensAt;
  total.closesAt = shard.closesAt;
  if (shard.held !== undefined) total.held = shard.held;
  if (shard.commitment !== undefined) total.commitment = shard.commitment;
  if (shard.signedBy !== undefined) total.signedBy = shard.signedBy;
  if (shard.terms && !areUsual(shard.terms)) total.terms = shard.terms;
  // A shard that got no packet of the last top-up does not know that top-up.
  if (shard.topUps && shard.topUps.length > (total.topUps?.length ?? 0)) total.topUps = shard.topUps;
  total.drained &&= shard.left === 0 && shard.elsewhere === undefined;
  total.newest += `${shard.newest ?? ''}\n`;
  for (const count of ['packets', 'loaded', 'left', 'claims', 'spoiled', 'relayed'] as const)
    total[count] += shard[count];
}

const SHARD_FIELDS = Object.keys(shardState.shape);
const count = z.int().min(0);
const lookReply = z
  .tuple([count, count, count, z.string().nullable(), z.string().nullable()])
  .rest(z.string().nullable());

async function readShard(redis: RedisClient, rainId: string, shard: number) {
  const { state, packets, claims, spoiled, relayed } = shardKeys(rainId, shard);
  const found = lookReply
    .nullable()
    .parse(
      await run(
        redis,
        'look',
        [state, packets, claims, spoiled, relayed],
        [STATE_LIMITS.fieldsMax, STATE_LIMITS.bytesMax, ...SHARD_FIELDS],
      ),
    );
  if (!found) return undefined;
  const [left, entries, bad, newest, cursor, ...values] = found;
  const parsed = shardState.safeParse(
    Object.fromEntries(SHARD_FIELDS.flatMap((field, i) => (typeof values[i] === 'string' ? [[field, values[i]]] : []))),
  );
  return parsed.success
    ? { ...parsed.data, left, claims: entries, newest, spoiled: bad, relayed: cursorOf(cursor) }
    : undefined;
}

/**
 * The relay's cursor from its text in Redis. Any other text than a count as the relay writes it is 0: nothing is
 * carried yet.
 */
export function cursorOf(relayed: string | null): number {
  return /^[1-9]\d{0,14}$/.test(relayed ?? '') ? Number(relayed) : 0;
}

/** Checks the signatures of packets in this Redis, for a process with these keys. */
export function signaturesIn(redis: RedisClient, signer: Pick<Signer, 'under' | 'isGenuine'>) {
  return {
    isGenuine: signer.isGenuine,
    /** Whether the packets of this rain are signed with one of these keys; false also when Redis has no such rain. */
    isOurs: async (rainId: string): Promise<boolean> =>
      signer.under(await redis.hget(shardKeys(rainId, 0).state, 'signedBy')) !== undefined,
  };
}

/** The number of entries in each shard's claim log. */
export function countClaims(redis: RedisClient, rainId: string, { shards }: LiveRain): Promise<number[]> {
  return Promise.all(Array.from({ length: shards }, (_, shard) => redis.llen(shardKeys(rainId, shard).claims)));
}

/** The number of packets left as shown to viewers: in steps of a hundredth, rounded up, 0 only when none is left. */
export function coarseLeft(left: number, packets: number): number {
  const step = Math.max(1, Math.floor(packets / 100));
  return Math.min(packets, Math.ceil(left / step) * step);
}

/** List elements per read when a whole list is read: few enough not to delay grabs. */
export const ELEMENTS_PAGE = 5_000;

/**
 * Entries `from` (inclusive) to `to` (exclusive) of a claim log, counted from the oldest, which is 0; fewer if the log
 * ends before.
 */
export async function readEntries(
  redis: RedisClient,
  rainId: string,
  shard: number,
  from: number,
  to: number,
): Promise<string[]> {
  return readLog(redis, shardKeys(rainId, shard).claims, from, to);
}

/** The same of the log with this key, of claims or of reservations. */
export async function readLog(redis: RedisClient, key: string, from: number, to: number): Promise<string[]> {
  // New entries are LPUSHed: the oldest is at index -1 and stays there during pushes.
  const newestFirst = await redis.lrange(key, -to, -(from + 1));
  return newestFirst.reverse();
}
