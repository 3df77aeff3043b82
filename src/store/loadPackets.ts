import { z } from 'zod';
import { canonicalJson } from '../rain/json.ts';
import { formatMoney } from '../rain/money.ts';
import type { TopUpPromise } from '../rain/commitment.ts';
import { redPacketId } from '../rain/red-packet.ts';
import type { Terms } from '../rain/terms.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { lastingKeys, LIVE_RAINS_KEY, shardKeys } from './keys.ts';
import type { LiveRain } from './rains.ts';
import { announce } from './moves.ts';
import { run } from './scripts.ts';
import type { Signer } from './signer.ts';

/** Packets per script call: about 2 ms of Redis's time, so that grabs in other rains hardly notice. */
const CHUNK = 2_000;

export interface Draft extends Pick<LiveRain, 'shards' | 'title'> {
  rainId: string;
  /** Both in epoch ms. */
  opensAt: number;
  closesAt: number;
  packets: number;
  /** Absent for a rain from before commitments existed. */
  commitment?: string;
  /** Absent: default terms. */
  terms?: Terms;
}

/** Packet `index` of a rain lies in shard `index % shards`. */
export function plannedFor(shard: number, shards: number, packets: number): number {
  return Math.floor((packets - shard + shards - 1) / shards);
}

/** A packet exactly as its list element, byte for byte. */
export function packetElement({ packetMac }: Signer, rainId: string, id: string, amount: string): string {
  return `{"redPacketId":"${id}","amount":"${amount}","mac":"${packetMac(rainId, id, amount)}"}`;
}

/** Creates the rain without packets. Safe to repeat. @returns `taken` when keys of another rain with this id exist */
export async function draftRain(
  redis: RedisClient,
  { keyId }: Pick<Signer, 'keyId'>,
  { rainId, title, shards, opensAt, closesAt, packets, commitment = '', terms = {} }: Draft,
): Promise<'created' | 'exists' | 'taken'> {
  let created = false;
  for (let shard = 0; shard < shards; shard++) {
    const done = z
      .number()
      .parse(
        await run(redis, 'draft', lastingKeys(rainId, shard), [
          rainId,
          opensAt,
          closesAt,
          plannedFor(shard, shards, packets),
          commitment,
          canonicalJson(terms),
          keyId,
          shards,
          packets,
        ]),
      );
    if (done === -1) return 'taken';
    created ||= done === 1;
  }
  // The index comes last: a process that finds the rain there finds all its shards.
  await redis.hset(
    LIVE_RAINS_KEY,
    rainId,
    JSON.stringify({ shards, title, ...(terms.rehearsal && { rehearsal: terms.rehearsal }) } satisfies LiveRain),
  );
  return created ? 'created' : 'exists';
}

/** Whether a new rain with this id would be refused: keys of another rain exist. */
export async function isTaken(redis: RedisClient, rainId: string, shards: number): Promise<boolean> {
  const held = await Promise.all(
    Array.from({ length: shards }, (_, shard) => redis.exists(...lastingKeys(rainId, shard))),
  );
  return held.some((count) => count > 0);
}

export interface Stock {
  /** All packets of a rain, its top-ups included: cents, in the order in which they are handed out. */
  amounts: BigInt64Array;
  /** The commitments of the top-ups, in order. */
  topUps?: readonly TopUpPromise[];
}

/**
 * `not_a_draft`: the rain is over, or was planned with other packets. `other_key`: its packets are signed with another
 * key, or not at all.
 */
type Loaded = { ok: true; packets: number } | { ok: false; reason: 'no_such_rain' | 'not_a_draft' | 'other_key' };

/**
 * Pushes the packets of a drafted rain and of its top-ups, chunk by chunk. Continues where an interrupted load stopped.
 * @param onProgress packets pushed so far
 * @throws when Redis cannot be reached; loading again is safe
 */
export async function loadPackets(
  redis: RedisClient,
  signer: Signer,
  rainId: string,
  shards: number,
  stock: BigInt64Array | Stock,
  onProgress: (loaded: number) => void,
): Promise<Loaded> {
  const { amounts, topUps = [] } = stock instanceof BigInt64Array ? { amounts: stock } : stock;
  const promises = canonicalJson(topUps);
  let before = 0;
  let announced = shards === 1;
  for (let shard = 0; shard < shards; shard++) {
    const keys = shardKeys(rainId, shard);
    const planned = plannedFor(shard, shards, amounts.length);
    const [state, plannedAtDraft, loadedText, signedBy] = await redis.hmget(
      keys.state,
      'state',
      'packets',
      'loaded',
      'signedBy',
    );
    if (loadedText == null) return { ok: false, reason: 'no_such_rain' };
    let loaded = Number(loadedText);
    // A draft takes only the packets it was drafted with. With the last of them it stops being a draft, and the top-ups
    // follow.
    const draft = state === 'draft' ? Math.min(planned, Number(plannedAtDraft)) : loaded;
    while (loaded < planned) {
      onProgress(before + loaded);
      const own = signer.under(signedBy);
      if (!own) return { ok: false, reason: 'other_key' };
      const drafting = loaded < draft;
      if (!drafting && topUps.length === 0) return { ok: false, reason: 'not_a_draft' };
      if (!drafting && !announced) {
        await announce(redis, rainId, shards, amounts.length);
        announced = true;
      }
      const chunk = Array.from({ length: Math.min(CHUNK, (drafting ? draft : planned) - loaded) }, (_, i) => {
        const index = (loaded + i) * shards + shard;
        return packetElement(own, rainId, redPacketId(rainId, index), formatMoney(amounts[index]!));
      });
      const now = z
        .number()
        .parse(
          drafting
            ? await run(redis, 'load', [keys.state, keys.packets], [loaded, ...chunk])
            : await run(redis, 'topup', [keys.state, keys.packets], [loaded, planned, promises, ...chunk]),
        );
      if (now === -1) return { ok: false, reason: 'no_such_rain' };
      // No progress: the rain was closed during the load, or was planned with other packets.
      if (now <= loaded) return { ok: false, reason: 'not_a_draft' };
      loaded = now;
    }
    before += loaded;
  }
  onProgress(before);
  return { ok: true, packets: before };
}
