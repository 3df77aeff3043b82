import { z } from 'zod';
import { shardKeys } from '../../store/keys.ts';
import { ELEMENTS_PAGE } from '../../store/rains.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { amount } from '../../rain/claim.ts';
import { readJson } from '../../rain/json.ts';
import type { OperatorContext } from '../context.ts';
import { readBooked, type Booked } from './booked.ts';
import { readClaimLog, type Logged } from './claimLog.ts';

const packet = z.object({ redPacketId: z.string(), amount });

/** Where a rain's packets are, according to Redis and the ledger. */
export interface PacketPaths {
  booked: Booked;
  logged: Logged;
  /** Elements set aside, and unreadable list elements that will be set aside later. One that moves during the read counts twice. */
  spoiled: number;
  /** Whether this packet is still in a list or was not loaded yet. */
  unclaimed: (id: string, index: number) => boolean;
  /** The rain is settled and its keys have expired: only the ledger is left. */
  expired: boolean;
  /** Errors in the data itself: entries that do not parse, packets that are in a list twice. */
  problems: string[];
}

/** Reads packets first, then the ledger, then the log: see `auditRain`. */
export async function readPacketPaths(context: OperatorContext, rain: BookedRain): Promise<PacketPaths> {
  const problems: string[] = [];
  const expired = rain.settledAt !== undefined && !(await context.redis.exists(shardKeys(rain.id, 0).state));
  const left = new Set<string>();
  const loaded: number[] = [];
  let spoiled = 0;
  for (let shard = 0; shard < rain.shards; shard++) {
    const stock = await readPackets(context, rain.id, shard, left, problems);
    loaded.push(stock.loaded);
    spoiled += stock.spoiled;
  }
  const booked = await readBooked(context, rain.id);
  const logged = await readClaimLog(context, rain, booked);
  return {
    booked, logged, expired, spoiled: spoiled + logged.spoiled, problems: problems.concat(booked.problems, logged.problems),
    // Unclaimed packets of an expired rain: all that were neither credited nor discarded.
    unclaimed: (id, index) => (expired ? booked.recycledCents > 0n : left.has(id) || Math.floor(index / rain.shards) >= loaded[index % rain.shards]!),
  };
}

/** @returns `loaded`: packets pushed before the list was read; `spoiled`: list elements that are not packets */
async function readPackets(context: OperatorContext, rainId: string, shard: number, left: Set<string>, problems: string[]): Promise<{ loaded: number; spoiled: number }> {
  const keys = shardKeys(rainId, shard);
  const [state, loaded] = await context.redis.hmget(keys.state, 'state', 'loaded');
  if (state === null || state === 'draft') return { loaded: 0, spoiled: 0 };
  let spoiled = 0;
  // Grabs take from the tail, so positions counted from the head are stable, except for packets that a top-up pushes meanwhile.
  // `loaded`, read in the same step as the page, gives the number of those.
  for (let from = 0, pushed = 0, length = await context.redis.llen(keys.packets); from < length;) {
    const [[, elements], [, now]] = await context.redis.multi().lrange(keys.packets, from + pushed, from + pushed + ELEMENTS_PAGE - 1).hget(keys.state, 'loaded').exec() as [[null, string[]], [null, string | null]];
    const seenBefore = Math.max(0, Number(now ?? loaded) - Number(loaded) - pushed);
    for (const element of elements.slice(seenBefore)) {
      const parsed = packet.safeParse(readJson(element));
      if (!parsed.success) {
        spoiled++;
        continue;
      }
      if (left.has(parsed.data.redPacketId)) problems.push(`${parsed.data.redPacketId} is in the list twice`);
      left.add(parsed.data.redPacketId);
    }
    pushed += seenBefore;
    from += Math.max(0, ELEMENTS_PAGE - seenBefore);
  }
  return { loaded: Number(loaded), spoiled };
}
