import type { RedisClient } from '../../platform/redis/connect.ts';
import { readMove, readMoves } from '../../store/endMoves.ts';
import type { ForeignMove } from '../../store/moves.ts';
import { shardKeys } from '../../store/keys.ts';
import { readJson } from '../../rain/json.ts';
import type { OperatorContext } from '../context.ts';
import { elementIn } from '../restore/packetElements.ts';

/** How often the lists of a rain have got packets or lent some. Equal before and after a reading: nothing moved meanwhile. */
export async function countMoves({ redis }: Pick<OperatorContext, 'redis'>, rainId: string, shards: number): Promise<number> {
  if (shards === 1) return 0;
  const counts = await Promise.all(Array.from({ length: shards }, (_, shard) => redis.hget(shardKeys(rainId, shard).state, 'moves')));
  return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
}

/** Ids of packets of moves that have not arrived, and of all moves that there ever were; and what is none. */
export async function readMoved({ redis }: Pick<OperatorContext, 'redis'>, rainId: string, shards: number): Promise<{ onTheirWay: Set<string>; ever: Set<string>; foreign: readonly ForeignMove[] }> {
  const [onTheirWay, ever] = [new Set<string>(), new Set<string>()];
  if (shards === 1) return { onTheirWay, ever, foreign: [] };
  const moves = await readMoves(redis, rainId, shards);
  for (const where of ['sending', 'lent'] as const) {
    for (const [moveId, { from }] of moves[where]) {
      for (const id of await packetsOf(redis, shardKeys(rainId, from)[where], moveId)) {
        ever.add(id);
        if (!moves.received.has(moveId)) onTheirWay.add(id);
      }
    }
  }
  return { onTheirWay, ever, foreign: moves.foreign };
}

/** Ids of the packets that moves have brought to this shard. */
export async function readBrought({ redis }: Pick<OperatorContext, 'redis'>, rainId: string, shard: number, shards: number): Promise<Set<string>> {
  const brought = new Set<string>();
  if (shards === 1) return brought;
  const { received } = await readMoves(redis, rainId, shards);
  for (const [moveId, { to }] of received) if (to === shard) for (const id of await packetsOf(redis, shardKeys(rainId, shard).received, moveId)) brought.add(id);
  return brought;
}

/** Ids of the packets of a move where it is written down. */
export async function packetsOf(redis: RedisClient, key: string, moveId: string): Promise<string[]> {
  const packets = readJson(await readMove(redis, key, moveId) ?? '[]');
  return Array.isArray(packets) ? packets.flatMap((element) => elementIn(String(element)) ?? []) : [];
}
