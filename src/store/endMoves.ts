import type { RedisClient } from '../platform/redis/connect.ts';
import { shardKeys } from './keys.ts';
import {
  announce,
  areShards,
  noteArrived,
  readMoveId,
  receive,
  setAside,
  isMove,
  type ForeignMove,
  type Move,
} from './moves.ts';
import { run } from './scripts.ts';

type Ends = Pick<Move, 'from' | 'to'>;

/** The moves that the shards of a rain know, by moveId. */
interface KnownMoves {
  /** It left its lender, and is not noted there as arrived. */
  sending: Map<string, Ends>;
  /** It left its lender, and is noted there as arrived. */
  lent: Map<string, Ends>;
  /** It has arrived in its receiver. */
  received: Map<string, Ends>;
  /** Entries there that are no move. */
  foreign: ForeignMove[];
}

/** Moves per shard: a rain has hundreds. More were written by somebody else [R10]. */
const MOVES_MAX = 100_000;

const WHERE = [
  ['sending', 'from'],
  ['lent', 'from'],
  ['received', 'to'],
] as const;
/** Moves that are asked for at once: users may wait for the answers. */
const MOVES_AT_ONCE = 256;

/** All shards at once: a move that is under way meanwhile may be missing in one of them. */
export async function readMoves(redis: RedisClient, rainId: string, shards: number): Promise<KnownMoves> {
  const known: KnownMoves = { sending: new Map(), lent: new Map(), received: new Map(), foreign: [] };
  await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      Promise.all(WHERE.map(([where, end]) => readPlace(redis, known, { rainId, shards, shard, where, end }))),
    ),
  );
  return known;
}

interface Place {
  rainId: string;
  shards: number;
  shard: number;
  where: (typeof WHERE)[number][0];
  /** Which end of its moves the shard is. */
  end: (typeof WHERE)[number][1];
}

async function readPlace(
  redis: RedisClient,
  known: KnownMoves,
  { rainId, shards, shard, where, end }: Place,
): Promise<void> {
  const key = shardKeys(rainId, shard)[where];
  const type = await redis.type(key);
  if (type !== 'hash') {
    if (type !== 'none') known.foreign.push({ shard, where });
    return;
  }
  if ((await redis.hlen(key)) > MOVES_MAX)
    throw new Error(`${key} has more moves than a rain can have: somebody else writes to this Redis`);
  const moveIds = await redis.hkeys(key);
  for (let i = 0; i < moveIds.length; i += MOVES_AT_ONCE)
    await Promise.all(moveIds.slice(i, i + MOVES_AT_ONCE).map(readOne));

  async function readOne(moveId: string): Promise<void> {
    const ends = readMoveId(moveId);
    const isOurs = ends?.[end] === shard && areShards(ends, shards);
    const packets = isOurs ? await readMove(redis, key, moveId) : null;
    if (isOurs && (where !== 'sending' || isMove(packets))) known[where].set(moveId, ends);
    // One that has gone meanwhile has arrived.
    if (!isMove(packets) && (await redis.hexists(key, moveId)))
      known.foreign.push({ shard, where, moveId, stays: isOurs && where !== 'sending' });
  }
}

/**
 * Ends what is on its way, and what a failover has undone on one side: a receiver that has forgotten a move gets it
 * again, and a lender that has forgotten one gives its packets up. To be called before told wins are put back, whose
 * packets must lie where they were won. Safe to repeat, also by several processes at once.
 */
export async function endMoves(redis: RedisClient, rainId: string, shards: number): Promise<void> {
  if (shards === 1) return;
  // Counts that are no numbers would refuse every move.
  await announce(redis, rainId, shards, 0);
  const { sending, lent, received } = await setForeignAside(redis, rainId, shards);
  // Packets may have gone on: they must be there again before the next lender gives them up.
  for (const [moveId, ends] of [...sending, ...lent]) {
    const lender = shardKeys(rainId, ends.from);
    const packets = received.has(moveId)
      ? null
      : ((await readMove(redis, lender.sending, moveId)) ?? (await readMove(redis, lender.lent, moveId)));
    if (packets !== null && !(await receive(redis, rainId, { moveId, ...ends, packets }))) continue;
    if (sending.has(moveId)) await noteArrived(redis, rainId, { moveId, ...ends });
  }
  for (const [moveId, ends] of received) {
    if (sending.has(moveId) || lent.has(moveId)) continue;
    const packets = await readMove(redis, shardKeys(rainId, ends.to).received, moveId);
    const lender = shardKeys(rainId, ends.from);
    if (packets !== null)
      await run(redis, 'takeback', [lender.packets, lender.sending, lender.lent], [moveId, packets]);
  }
  // Packets that came back were not there when somebody wrote down that nothing is left.
  await announce(redis, rainId, shards, 0);
}

/** Takes away what stands among the moves and is none. @returns the moves */
export async function setForeignAside(redis: RedisClient, rainId: string, shards: number): Promise<KnownMoves> {
  const known = await readMoves(redis, rainId, shards);
  await setAside(redis, rainId, known.foreign);
  return known;
}

/** The packets of a move, JSON, where it is written down; `null`: it is not there, or longer than any of ours [R10]. */
export async function readMove(redis: RedisClient, key: string, moveId: string): Promise<string | null> {
  return (await redis.hstrlen(key, moveId)) <= MOVE_BYTES_MAX ? redis.hget(key, moveId) : null;
}

/** 512 packets of 256 characters, with quotes that are escaped. */
export const MOVE_BYTES_MAX = 262_144;
