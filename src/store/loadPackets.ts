import { z } from 'zod';
import { canonicalJson } from '../rain/json.ts';
import { formatMoney } from '../rain/money.ts';
import type { TopUpPromise } from '../rain/top-up.ts';
import { redPacketId } from '../rain/red-packet.ts';
import type { Terms } from '../rain/terms.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { LIVE_RAINS_KEY, shardKeys } from './keys.ts';
import type { LiveRain } from './rains.ts';
import { run } from './scripts.ts';

/** Packets pushed by one script call: about 2 ms of Redis's time, so that grabs of another rain hardly notice. */
const CHUNK = 2_000;

export interface Draft extends Pick<LiveRain, 'shards' | 'title'> {
  rainId: string;
  /** Epoch ms. */
  opensAt: number;
  closesAt: number;
  packets: number;
  /** Absent for a rain that was created before there were commitments. */
  commitment?: string;
  /** Absent: all as usual. */
  terms?: Terms;
}

/** Packet `index` of a rain lies in shard `index % shards`. */
export function plannedFor(shard: number, shards: number, packets: number): number {
  return Math.floor((packets - shard + shards - 1) / shards);
}

/** A packet as its list holds it, to the byte. */
export function packetElement(id: string, amount: string): string {
  return `{"redPacketId":"${id}","amount":"${amount}"}`;
}

/**
 * Writes the rain down in Redis, empty. Safe to repeat.
 * @returns `taken` when the id belongs to another rain, or to the remains of one
 */
export async function draftRain(redis: RedisClient, { rainId, title, shards, opensAt, closesAt, packets, commitment = '', terms = {} }: Draft): Promise<'created' | 'exists' | 'taken'> {
  let created = false;
  for (let shard = 0; shard < shards; shard++) {
    const { state, packets: list, claimed, claims, spoiled, relayed, credited } = shardKeys(rainId, shard);
    const done = z.number().parse(await run(redis, 'draft', [state, list, claimed, claims, spoiled, relayed, credited],
      [rainId, opensAt, closesAt, plannedFor(shard, shards, packets), commitment, canonicalJson(terms)]));
    if (done === -1) return 'taken';
    created ||= done === 1;
  }
  // The index comes last: who finds the rain there finds all its shards.
  await redis.hset(LIVE_RAINS_KEY, rainId, JSON.stringify({ shards, title, ...(terms.rehearsal && { rehearsal: terms.rehearsal }) } satisfies LiveRain));
  return created ? 'created' : 'exists';
}

/** Whether a new rain of this id would be refused: keys of another one, or its remains, are there. */
export async function isTaken(redis: RedisClient, rainId: string, shards: number): Promise<boolean> {
  const held = await Promise.all(Array.from({ length: shards }, (_, shard) => {
    const { state, packets, claimed, claims, spoiled, relayed, credited } = shardKeys(rainId, shard);
    return redis.exists(state, packets, claimed, claims, spoiled, relayed, credited);
  }));
  return held.some((count) => count > 0);
}

/** What a rain consists of, its top-ups included. */
export interface Stock {
  /** Cents, in the order in which they are to be handed out. */
  amounts: BigInt64Array;
  /** The promises of what was added after the creation, in order. */
  topUps?: readonly TopUpPromise[];
}

/** `not_a_draft`: it is over, or was planned with other packets than these. */
type Loaded = { ok: true; packets: number } | { ok: false; reason: 'no_such_rain' | 'not_a_draft' };

/** What both scripts say besides a count. */
const NO_SUCH_RAIN = -1;

/**
 * Pushes the packets of a drafted rain and those that were added to it, chunk by chunk, going on where an earlier load was killed.
 * @param onProgress packets pushed so far
 * @throws when Redis cannot be reached; loading again is safe
 */
export async function loadPackets(redis: RedisClient, rainId: string, shards: number, stock: BigInt64Array | Stock, onProgress: (loaded: number) => void): Promise<Loaded> {
  const { amounts, topUps = [] } = stock instanceof BigInt64Array ? { amounts: stock } : stock;
  const promises = canonicalJson(topUps);
  let before = 0;
  for (let shard = 0; shard < shards; shard++) {
    const keys = shardKeys(rainId, shard);
    const planned = plannedFor(shard, shards, amounts.length);
    const [state, atFirst, standing] = await redis.hmget(keys.state, 'state', 'packets', 'loaded');
    if (standing == null) return { ok: false, reason: 'no_such_rain' };
    let loaded = Number(standing);
    // A draft is loaded as it was drafted; with its last packet it stops being one, and what was added follows.
    const draft = state === 'draft' ? Math.min(planned, Number(atFirst)) : loaded;
    while (loaded < planned) {
      onProgress(before + loaded);
      const drafting = loaded < draft;
      if (!drafting && topUps.length === 0) return { ok: false, reason: 'not_a_draft' };
      const chunk: string[] = [];
      for (let i = loaded; i < Math.min(loaded + CHUNK, drafting ? draft : planned); i++) {
        const index = i * shards + shard;
        chunk.push(packetElement(redPacketId(rainId, index), formatMoney(amounts[index]!)));
      }
      const now = z.number().parse(drafting
        ? await run(redis, 'load', [keys.state, keys.packets], [loaded, ...chunk])
        : await run(redis, 'topup', [keys.state, keys.packets], [loaded, planned, promises, ...chunk]));
      if (now === NO_SUCH_RAIN) return { ok: false, reason: 'no_such_rain' };
      // Not a step further: the rain was closed while it was being loaded, or planned with other packets than these.
      if (now <= loaded) return { ok: false, reason: 'not_a_draft' };
      loaded = now;
    }
    before += loaded;
  }
  onProgress(before);
  return { ok: true, packets: before };
}
