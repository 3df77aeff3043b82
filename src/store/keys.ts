import { roundOf } from '../rain/campaign.ts';

/**
 * How each shard is called in the hash tag of its keys. CRC16 is linear: two tags that differ in one character are the
 * same distance (XOR) apart whatever the rest is. With these, the first 2, 4 and 8 shards lie in different halves,
 * quarters and eighths of the slots of a Cluster; with the digits in order, half of its masters had none. A digit is
 * the label of its own shard only, so that no key of a rain from before is taken for one of another shard.
 */
const LABELS = '0bcd+5e78jklm.:=';

export const SHARDS_MAX = LABELS.length;

/** Shard 1 in the versions that numbered the shards of a tag; see `olderLabels.ts`. */
const OLDER_LABEL_OF_1 = '1';

/**
 * All Redis keys of the system are named in this file. One hash tag per rain (or campaign) and shard keeps every script
 * legal in Redis Cluster. A campaign's rounds share the campaign's tag, so that one script can use the round's packets
 * and the campaign's wins; the number of the round follows the tag. All rounds have the same number of shards: all wins
 * of a user are in one shard.
 */
export function shardKeys(rainId: string, shard: number) {
  const tag = prefixOf(rainId, LABELS[shard]!);
  return {
    /**
     * hash: rainId, state, opensAt, closesAt, packets (planned), loaded (pushed so far), commitment, terms (JSON),
     * winsMax (of a round, copied from its terms), topUps (JSON: commitments of added packets), signedBy (names the key
     * of the packets' MACs), ticketRules (see lua/tickets.lua), held (the reason why nothing is granted, see
     * `src/store/holds.ts`), withdrawn (index of the first packet of a lost top-up, see lua/withdraw.lua); of several
     * shards: shards, total (packets of all), elsewhere, moves and movedIn (see `moves.ts`); once settled, seed and
     * plan (JSON)
     */
    state: `${tag}state`,
    /** list: preallocated `{"redPacketId","amount","mac"}`, RPOPped */
    packets: `${tag}packets`,
    /** hash: userId → claim JSON */
    claimed: `${tag}claimed`,
    /** list: the claim log, LPUSHed, never popped while the rain lives */
    claims: `${tag}claims`,
    /** list: elements of `packets` that would not decode, or were not signed by us */
    spoiled: `${tag}spoiled`,
    /** string: how many entries of `claims` the relay has handed to the queue */
    relayed: `${tag}relayed`,
    /** string, expiring: which relay holds the lease of this shard */
    lease: `${tag}lease`,
    /** string, expiring: which worker audits this rain in the background; only in shard 0 */
    auditor: `${tag}auditor`,
    /** string, expiring: the winners as a filter that gateways share, signed, see `sharedFilter.ts`; only in shard 0 */
    winners: `${tag}winners`,
    /** string, expiring: which gateway builds that filter; only in shard 0 */
    winnersLease: `${tag}winners:lease`,
    /**
     * set: marks of the claims that are in the ledger, signed (`creditMark`); a cache for `join`, the ledger is
     * authoritative
     */
    credited: `${tag}credited`,
    /** set, expiring: contested claims that were put back into the log */
    restored: `${tag}restored`,
    /** hash: moveId → packets (JSON) of moves that left this shard and have not arrived, see `moves.ts` */
    sending: `${tag}sending`,
    /** hash: moveId → packets (JSON) of moves that left this shard and have arrived */
    lent: `${tag}lent`,
    /** hash: moveId → packets (JSON) of moves that have arrived in this shard */
    received: `${tag}received`,
    /** list, expiring: the packets of a shard that is being rebuilt, see lua/rebuild.lua */
    rebuilt: `${tag}rebuilt`,
    /**
     * hash, expiring: userId → a win that the user was told and that Redis has lost together with the rain, see told.ts
     */
    told: `${tag}told`,
  };
}
export type ShardKeys = ReturnType<typeof shardKeys>;

/**
 * The keys that a rain has from its creation until it expires, in the order of the scripts that draft and settle it.
 */
export function lastingKeys(rainId: string, shard: number): string[] {
  const { state, packets, claimed, claims, spoiled, relayed, credited, sending, lent, received } = shardKeys(
    rainId,
    shard,
  );
  return [state, packets, claimed, claims, spoiled, relayed, credited, sending, lent, received];
}

/**
 * string, expiring: a filter of the winners that is not complete yet, until it gets its name in `shardKeys`.
 * @param id this attempt's
 */
export function winnersDraftKey(rainId: string, id: string): string {
  return `${shardKeys(rainId, 0).winners}:${id}`;
}

/**
 * Keys that all rounds of a campaign share in one shard. The scripts do not touch them for a rain outside a campaign.
 */
export function campaignKeys(rainId: string, shard: number) {
  const tag = tagOf(roundOf(rainId)?.campaignId ?? rainId, LABELS[shard]!);
  return {
    /** hash: userId → the rounds that the user has won in, e.g. `,1,,4,`; a cache of the ledger and the claim logs */
    wins: `${tag}wins`,
    /** set: numbers of the rounds that are not settled; until it is empty the wins do not expire */
    rounds: `${tag}rounds`,
  };
}

/** The keys of `lua/grab.lua`, in its order. */
export function grabKeys(rainId: string, shard: number): string[] {
  const { state, packets, claimed, claims, spoiled } = shardKeys(rainId, shard);
  return [state, packets, claimed, claims, spoiled, campaignKeys(rainId, shard).wins];
}

/** `state` of shard 1 of a rain that such a version has written. */
export function olderStateKey(rainId: string): string {
  return `${prefixOf(rainId, OLDER_LABEL_OF_1)}state`;
}

function prefixOf(rainId: string, label: string): string {
  const name = roundOf(rainId);
  return name ? `${tagOf(name.campaignId, label)}${name.round}:` : tagOf(rainId, label);
}

function tagOf(name: string, label: string): string {
  return `rain:{${name}/${label}}:`;
}

/**
 * hash: rainId → `{"shards":1,"title":"…"}` of every rain that is not settled yet; gateways and relays find the rains
 * here
 */
export const LIVE_RAINS_KEY = 'rain:live';

/**
 * string: a text that is another one after every change of any rain; while it is the same, gateways read only rains in
 * which something is won
 */
export const RAINS_VERSION_KEY = 'rain:version';

/** hash, as above: settled rains whose keys have not expired yet. Only late repeats of a grab read them. */
export const SETTLED_RAINS_KEY = 'rain:settled';

/** hash: store, counter, runId, server; which state of Redis this is, see `src/store/epoch.ts` */
export const EPOCH_KEY = 'rain:epoch';

/**
 * string, expiring: which worker compares this run of the Redis server with the ledger; a lease of an earlier run
 * delays nobody
 */
export function epochLeaseKey(runId: string | undefined): string {
  return `rain:epoch:${runId ?? 'unknown'}:lease`;
}

/**
 * set, expiring: rains of which told wins are written down, see `src/store/told.ts`; also such as no other key and no
 * ledger knows
 */
export const TOLD_RAINS_KEY = 'rain:told';

/**
 * hash: rainId → when its keys were found expired after the settlement, epoch ms; kept for weeks, see
 * `src/store/endedRains.ts`
 */
export const ENDED_RAINS_KEY = 'rain:ended';

/**
 * hash: `user:<id>` or `address:<network>` → the block: reason, actor, start and end; `version` → a text that changes
 * with every change
 */
export const BLOCKS_KEY = 'rain:blocks';

/**
 * string: what a WAIT waits for, in some slot of each master, see `src/store/replicaWait.ts`; never in the log on disk
 */
export function markKey(n: number): string {
  return `rain:mark:${n}`;
}

/**
 * hash: ticker, joins, sockets or grabs → position of that kill switch for all gateways, reason, actor, start and end
 */
export const SWITCHES_KEY = 'rain:switches';

/** hash: process id → heartbeat of a gateway, once a second, see `src/store/gatewayHeartbeat.ts` */
export const GATEWAYS_KEY = 'rain:gateways';

/** string, expiring: the user of a console session, by the hash of the browser's session token */
export function sessionKey(hash: string): string {
  return `rain:sessions:${hash}`;
}

/** zset, expiring: hash of each session of an operator → when it was used last, epoch ms */
export function operatorSessionsKey(name: string): string {
  return `rain:sessions:of:${name}`;
}

/**
 * string, expiring: failed sign-ins of an address, of a name, of a name from an address or from a known device; `wait`:
 * present while no further one may be tried
 */
export function attemptsKey(
  whose: 'address' | 'name' | 'pair' | 'device',
  hash: string,
  what: 'count' | 'wait',
): string {
  return `rain:attempts:${whose}:${hash}:${what}`;
}

/** pub/sub channel: events about rains, see `src/store/events.ts` */
export const EVENTS_CHANNEL = 'rain:events';

/** pub/sub channel: credits of users who won at this gateway. @param gateway its name */
export function gatewayChannel(gateway: string): string {
  return `${EVENTS_CHANNEL}:${gateway}`;
}

/** BullMQ's key prefix; the braces keep a queue's keys in one Cluster slot. */
export const QUEUE_PREFIX = '{rain-queue}';

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
