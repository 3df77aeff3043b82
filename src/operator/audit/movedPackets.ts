import type { BookedRain } from '../../ledger/rains.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { readMove, readMoves } from '../../store/endMoves.ts';
import type { ForeignMove } from '../../store/moves.ts';
import { shardKeys } from '../../store/keys.ts';
import { readJson } from '../../rain/json.ts';
import { redPacketIndex } from '../../rain/red-packet.ts';
import type { OperatorContext } from '../context.ts';
import { elementIn } from '../restore/packetElements.ts';
import type { BookedPlan } from './bookedPlan.ts';
import { createPacketMarks, type PacketMarks } from './packetMarks.ts';
import type { TamperingList } from './tampering.ts';

/**
 * How often the lists of a rain have got packets or lent some. Equal before and after a reading: nothing moved
 * meanwhile.
 */
export async function countMoves(
  { redis }: Pick<OperatorContext, 'redis'>,
  rainId: string,
  shards: number,
): Promise<number> {
  if (shards === 1) return 0;
  const counts = await Promise.all(
    Array.from({ length: shards }, (_, shard) => redis.hget(shardKeys(rainId, shard).state, 'moves')),
  );
  return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
}

interface Moved {
  /** The packets of moves that have not arrived, and of all moves that there ever were. */
  onTheirWay: PacketMarks;
  ever: PacketMarks;
  /** Ids of packets on their way that are in a list, too, by index. */
  alsoListed: Map<number, string>;
  /** Entries among the moves that are none. */
  foreign: readonly ForeignMove[];
}

/** @param left the packets that are in a list */
export async function readMoved(
  { redis }: Pick<OperatorContext, 'redis'>,
  plan: BookedPlan,
  left: PacketMarks,
  tampering: TamperingList,
): Promise<Moved> {
  const { id: rainId, shards } = plan.rain();
  const [onTheirWay, ever, alsoListed] = [createPacketMarks(), createPacketMarks(), new Map<number, string>()];
  if (shards === 1) return { onTheirWay, ever, alsoListed, foreign: [] };
  const moves = await readMoves(redis, rainId, shards);
  for (const where of ['sending', 'lent'] as const) {
    for (const [moveId, { from }] of moves[where]) {
      const ids = await packetsOf(redis, shardKeys(rainId, from)[where], moveId);
      await plan.include(ids);
      for (const id of ids) {
        const [index, isOnItsWay] = [plan.allocatedIndexOf(id), !moves.received.has(moveId)];
        if (index === undefined) {
          if (isOnItsWay)
            tampering.note('false_packet', id, `${id} is on its way to another shard and is not a packet of this rain`);
          continue;
        }
        ever.add(index);
        if (!isOnItsWay) continue;
        onTheirWay.add(index);
        if (left.has(index)) alsoListed.set(index, id);
      }
    }
  }
  return { onTheirWay, ever, alsoListed, foreign: moves.foreign };
}

/** The packets that moves have brought to this shard. @param packets how many the rain has */
export async function readBrought(
  { redis }: Pick<OperatorContext, 'redis'>,
  { id: rainId, shards, packets }: Pick<BookedRain, 'id' | 'shards' | 'packets'>,
  shard: number,
): Promise<PacketMarks> {
  const brought = createPacketMarks();
  if (shards === 1) return brought;
  const { received } = await readMoves(redis, rainId, shards);
  for (const [moveId, { to }] of received) {
    if (to !== shard) continue;
    for (const id of await packetsOf(redis, shardKeys(rainId, shard).received, moveId)) {
      const index = redPacketIndex(rainId, id);
      if (index !== undefined && index < packets) brought.add(index);
    }
  }
  return brought;
}

/** Ids of the packets of a move where it is written down. */
export async function packetsOf(redis: RedisClient, key: string, moveId: string): Promise<string[]> {
  const packets = readJson((await readMove(redis, key, moveId)) ?? '[]');
  return Array.isArray(packets) ? packets.flatMap((element) => elementIn(String(element)) ?? []) : [];
}
