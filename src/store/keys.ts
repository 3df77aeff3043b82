import { roundOf } from '../rain/campaign.ts';

/**
 * Every Redis key of the system, named in one place.
 * One hash tag per rain (or campaign) and shard keeps every script legal in Redis Cluster.
 */
export interface ShardKeys {
  /** hash: rainId, state, opensAt, closesAt, packets (planned), loaded (pushed so far), commitment, terms (JSON), winsMax (of a round, out of the terms), top-ups (JSON: what was added); once settled, seed and plan (JSON) */
  state: string;
  /** list: preallocated `{"redPacketId","amount"}`, RPOPped */
  packets: string;
  /** hash: userId → claim JSON */
  claimed: string;
  /** list: the claim log, LPUSHed, never popped while the rain lives */
  claims: string;
  /** list: elements of `packets` that would not decode */
  spoiled: string;
  /** string: how many entries of `claims` the relay has handed to the queue */
  relayed: string;
  /** string: which relay is carrying this shard, expiring */
  lease: string;
  /** string: which worker audits this rain in the background, expiring; only of shard 0 */
  auditor: string;
  /** set: userIds whose claim is in the book; a cache for `join`, the book is the truth */
  credited: string;
  /** set: claims that were put back into the log though another stands in their way, expiring */
  restored: string;
}

/**
 * Of a round the tag is the campaign's, so that one script sees its packets and the campaign's wins; the number of the round
 * stands behind it, and keeps the rounds apart. All rounds have as many shards, so that a user's wins are in one of them.
 */
export function shardKeys(rainId: string, shard: number): ShardKeys {
  const name = roundOf(rainId);
  const tag = name ? `${tagOf(name.campaignId, shard)}${name.round}:` : tagOf(rainId, shard);
  return {
    state: `${tag}state`,
    packets: `${tag}packets`,
    claimed: `${tag}claimed`,
    claims: `${tag}claims`,
    spoiled: `${tag}spoiled`,
    relayed: `${tag}relayed`,
    lease: `${tag}lease`,
    auditor: `${tag}auditor`,
    credited: `${tag}credited`,
    restored: `${tag}restored`,
  };
}

/** What the rounds of a campaign have in common in one shard. */
interface CampaignKeys {
  /** hash: userId → the rounds he has won in, e.g. `,1,,4,`; a cache of book and claim logs */
  wins: string;
  /** set: numbers of its rounds that are not settled; as long as there are any the wins do not expire */
  rounds: string;
}

/** Of a rain of its own there is nothing at these keys; the scripts that take them leave them alone. */
export function campaignKeys(rainId: string, shard: number): CampaignKeys {
  const tag = tagOf(roundOf(rainId)?.campaignId ?? rainId, shard);
  return { wins: `${tag}wins`, rounds: `${tag}rounds` };
}

function tagOf(name: string, shard: number): string {
  return `rain:{${name}/${shard}}:`;
}

/** hash: rainId → `{"shards":1,"title":"…"}` of every rain that is not yet settled; how gateways and relays find them. */
export const LIVE_RAINS_KEY = 'rain:live';

/** hash, as above: settled rains whose keys have not expired yet. Nobody looks after them, but late repeats find them. */
export const SETTLED_RAINS_KEY = 'rain:settled';

/** hash: `user:<id>` or `address:<network>` → who is blocked, why, since when and until when; `version` → another text after every change. */
export const BLOCKS_KEY = 'rain:blocks';

/** hash: ticker, joins, sockets or grabs → how the operator holds that switch of every gateway, why, since when and until when. */
export const SWITCHES_KEY = 'rain:switches';

/** hash: process id → what a gateway says of itself, once a second, see `src/store/gatewayHeartbeat.ts`. */
export const GATEWAYS_KEY = 'rain:gateways';

/** string, expiring: who has signed in at the console, by the hash of what his browser holds. */
export function sessionKey(hash: string): string {
  return `rain:sessions:${hash}`;
}

/** string, expiring: how often somebody has tried to sign in, by address or by name, in this quarter of an hour. */
export function attemptsKey(whose: 'address' | 'name', hash: string, window: number): string {
  return `rain:attempts:${whose}:${hash}:${window}`;
}

/** pub/sub channel: something about a rain changed, see `src/store/events.ts`. */
export const EVENTS_CHANNEL = 'rain:events';

/** BullMQ's key prefix; the braces keep a queue's keys in one Cluster slot. */
export const QUEUE_PREFIX = '{rain-queue}';

export const SHARDS_MAX = 16;

/**
 * The one shard that decides about a user in a rain, so that [R1] holds across shards (FNV-1a over UTF-16 units).
 * Changing this function while a rain lives would let a user win twice.
 */
export function shardOf(userId: string, shards: number): number {
  if (shards === 1) return 0;
  let hash = 0x811c9dc5;
  for (let i = 0; i < userId.length; i++) hash = Math.imul(hash ^ userId.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % shards;
}

/** How long the keys of a settled rain live on before they expire, ms: a late repeat still gets its answer [R6]. */
export const SETTLED_TTL_MS = 24 * 3_600_000;
