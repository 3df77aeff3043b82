import { readMoves } from '../../store/endMoves.ts';
import { shardKeys } from '../../store/keys.ts';
import { ELEMENTS_PAGE } from '../../store/rains.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { packetsOf } from '../audit/movedPackets.ts';
import type { OperatorContext } from '../context.ts';
import { elementIn } from './packetElements.ts';

/** The other shards' knowledge of the packets of shards that have lost everything. */
export interface MovedPackets {
  /** Ids that lie in a list of another shard, or are on their way to one. */
  listed: ReadonlySet<string>;
  /** By lost shard: ids that other shards have lent to it. */
  broughtTo: ReadonlyMap<number, readonly string[]>;
  /** The packets among them that have not arrived there. */
  coming: ReadonlySet<string>;
}

/**
 * Packets move between shards, so the lists of the others are read, and their moves. To be called while nobody can
 * grab.
 */
export async function readMovedPackets(
  { redis }: Pick<OperatorContext, 'redis'>,
  { id: rainId, shards }: Pick<BookedRain, 'id' | 'shards'>,
  lost: readonly number[],
): Promise<MovedPackets> {
  const [listed, coming] = [new Set<string>(), new Set<string>()];
  const broughtTo = new Map<number, string[]>(lost.map((shard) => [shard, []]));
  if (shards === 1) return { listed, broughtTo, coming };
  for (let shard = 0; shard < shards; shard++) {
    if (lost.includes(shard)) continue;
    const key = shardKeys(rainId, shard).packets;
    for (let from = 0, length = await redis.llen(key); from < length; from += ELEMENTS_PAGE) {
      for (const element of await redis.lrange(key, from, from + ELEMENTS_PAGE - 1))
        listed.add(elementIn(element) ?? '');
    }
  }
  const { sending, lent, received } = await readMoves(redis, rainId, shards);
  for (const [moveId, { from, to }] of sending) {
    if (received.has(moveId)) continue;
    for (const id of await packetsOf(redis, shardKeys(rainId, from).sending, moveId))
      (lost.includes(to) ? coming : listed).add(id);
  }
  for (const [moves, where] of [
    [sending, 'sending'],
    [lent, 'lent'],
  ] as const) {
    for (const [moveId, { from, to }] of moves) {
      if (broughtTo.has(to))
        broughtTo.get(to)!.push(...(await packetsOf(redis, shardKeys(rainId, from)[where], moveId)));
    }
  }
  return { listed, broughtTo, coming };
}

/**
 * Notes in a lost shard the moves that others know of it: its new list counts their packets already, so nobody may
 * bring them again, or take them back. To be called before the shard has its state.
 */
export async function noteKnownMoves(
  { redis }: Pick<OperatorContext, 'redis'>,
  { id: rainId, shards }: Pick<BookedRain, 'id' | 'shards'>,
  shard: number,
): Promise<void> {
  if (shards === 1) return;
  const own = shardKeys(rainId, shard);
  const { sending, lent, received } = await readMoves(redis, rainId, shards);
  for (const [moveId, { from, to }] of [...sending, ...lent])
    if (to === shard && from !== shard) await redis.hsetnx(own.received, moveId, '[]');
  for (const [moveId, { from, to }] of received)
    if (from === shard && to !== shard) await redis.hsetnx(own.lent, moveId, '[]');
}
