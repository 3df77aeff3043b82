import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { grabKeys, shardKeys } from './keys.ts';
import { run } from './scripts.ts';

/**
 * A rain with several shards: a user stays in his shard, and packets come to where somebody waits. A *move* takes
 * packets from one shard (the lender) to another. It is written down in the lender before its packets leave the list
 * there, and again in the receiver, so whoever finds a move that has not arrived can end it.
 */
export interface Move {
  /** Names lender and receiver; never used again. */
  moveId: string;
  from: number;
  to: number;
  /** List elements in the order of the list, as JSON. */
  packets: string;
}

/** A move takes so many packets at most. */
export const MOVE_PACKETS_MAX = 512;

const MOVE_ID = /^(\d{1,2})>(\d{1,2}):[0-9a-f]{24}$/;

export function newMoveId(
  from: number,
  to: number,
  randomHex: () => string = () => randomBytes(12).toString('hex'),
): string {
  return `${from}>${to}:${randomHex()}`;
}

/** Lender and receiver of a move by its id; `undefined`: no id of ours. */
export function readMoveId(moveId: string): Pick<Move, 'from' | 'to'> | undefined {
  const match = MOVE_ID.exec(moveId);
  return match ? { from: Number(match[1]), to: Number(match[2]) } : undefined;
}

/**
 * Takes packets off the list of the lender. Safe to repeat with the same id.
 * @returns `undefined`: it has none, or grants nothing
 */
export async function lend(
  redis: RedisClient,
  rainId: string,
  moveId: string,
  { wanted, parts }: { wanted: number; parts: number },
): Promise<Move | undefined> {
  const ends = readMoveId(moveId);
  if (!ends) throw new TypeError(`not the id of a move: ${moveId}`);
  const { state, packets, spoiled, sending, lent } = shardKeys(rainId, ends.from);
  const lentPackets = z
    .string()
    .nullable()
    .parse(
      await run(
        redis,
        'lend',
        [state, packets, spoiled, sending, lent],
        [moveId, Math.min(wanted, MOVE_PACKETS_MAX), parts],
      ),
    );
  return lentPackets === null ? undefined : { moveId, ...ends, packets: lentPackets };
}

/**
 * Puts the packets of a move on the list of the receiver, once, and decides for users who wait there.
 * @returns answers as those of `lua/grab.lua`, in the order of the users; `undefined`: Redis does not have that
 *   shard, or it is settled
 */
export async function receive(
  redis: RedisClient,
  rainId: string,
  { moveId, to, packets }: Move,
  userIds: readonly string[] = [],
  checked = '',
  gateway = '',
): Promise<unknown[] | undefined> {
  const replies = await run(
    redis,
    'receive',
    [...grabKeys(rainId, to), shardKeys(rainId, to).received],
    [moveId, packets, ...userIds, checked, gateway],
  );
  return z.array(z.unknown()).nullable().parse(replies) ?? undefined;
}

/** Notes in the lender that a move has arrived. */
export async function noteArrived(
  redis: RedisClient,
  rainId: string,
  { moveId, from }: Pick<Move, 'moveId' | 'from'>,
): Promise<void> {
  const { sending, lent } = shardKeys(rainId, from);
  await run(redis, 'arrived', [sending, lent], [moveId]);
}

/** One shard at one moment. */
export interface ShardStock {
  /** Packets in the list. */
  left: number;
  /** How often the list got packets, or lent some. */
  moves: number;
  /** Packets loaded into it so far. */
  loaded: number;
  /** Moves that left this shard and have not arrived. */
  onTheirWay: number;
  /** Some of these. */
  sending: Move[];
  /** Some of what stands among them and is no move: somebody else has written it. */
  foreign: ForeignMove[];
}

const count = z.number().int().min(0);
const stock = z.tuple([count, count, count, count]).rest(z.string()).nullable();

/** `undefined`: Redis does not have this shard. */
export async function readStock(
  redis: RedisClient,
  rainId: string,
  shard: number,
  shards: number,
): Promise<ShardStock | undefined> {
  const { state, packets, sending } = shardKeys(rainId, shard);
  const found = stock.parse(await run(redis, 'remaining', [state, packets, sending], []));
  if (!found) return undefined;
  const [left, moves, loaded, onTheirWay, ...pairs] = found;
  const known: Pick<ShardStock, 'sending' | 'foreign'> = { sending: [], foreign: [] };
  for (let i = 0; i < pairs.length; i += 2) {
    const [moveId, moved] = [pairs[i]!, pairs[i + 1]!];
    const ends = readMoveId(moveId);
    if (ends?.from === shard && areShards(ends, shards) && isMove(moved))
      known.sending.push({ moveId, ...ends, packets: moved });
    else known.foreign.push({ shard, where: 'sending', moveId });
  }
  return { left, moves, loaded, onTheirWay, ...known };
}

/** Whether these are two shards of a rain with so many. */
export function areShards({ from, to }: Pick<Move, 'from' | 'to'>, shards: number): boolean {
  return Math.max(from, to) < shards && from !== to;
}

const elements = z.array(z.string());

/** Whether this is a list of packets, as a move has it. Its packets are checked where they are handed out. */
export function isMove(packets: string | null): boolean {
  return packets !== null && elements.safeParse(readJson(packets)).success;
}

/** Where a shard has its moves written down. */
type MoveKey = 'sending' | 'lent' | 'received';

/** An entry among the moves of a shard that is none: somebody else has written it. */
export interface ForeignMove {
  shard: number;
  where: MoveKey;
  /** Absent: the key itself is of another type. */
  moveId?: string;
  /** The id is one of a move that has arrived: it stays, or the move would be brought once more. */
  stays?: boolean;
}

/** Entries per call of setaside.lua. */
const SET_ASIDE_MAX = 512;

/** Takes away what is no move. Safe to repeat. */
export async function setAside(redis: RedisClient, rainId: string, foreign: readonly ForeignMove[]): Promise<void> {
  const places = new Map<string, [ForeignMove, ...ForeignMove[]]>();
  for (const entry of foreign) {
    const place = `${entry.shard} ${entry.where}`;
    const known = places.get(place);
    if (known) known.push(entry);
    else places.set(place, [entry]);
  }
  for (const entries of places.values()) {
    const { shard, where } = entries[0];
    const keys = shardKeys(rainId, shard);
    for (let at = 0; at < entries.length; at += SET_ASIDE_MAX) {
      const fields = entries
        .slice(at, at + SET_ASIDE_MAX)
        .flatMap(({ moveId, stays }) => (moveId === undefined ? [] : [moveId, stays ? '1' : '0']));
      await run(redis, 'setaside', [keys[where], keys.spoiled], fields);
    }
  }
}

/**
 * Writes down in a shard that nothing is left anywhere, unless more packets are announced.
 * @param loaded packets that were loaded into all shards when they were found empty
 */
export async function writeDrained(redis: RedisClient, rainId: string, shard: number, loaded: number): Promise<void> {
  const { state, packets } = shardKeys(rainId, shard);
  await run(redis, 'drained', [state, packets], [loaded]);
}

/**
 * To be called before packets are added to any shard: what was found before does not hold any more.
 * @param total packets, the added ones included; 0 when none are added @param always also in a shard whose state does
 *   not name the number of shards
 */
export async function announce(
  redis: RedisClient,
  rainId: string,
  shards: number,
  total: number,
  always = false,
): Promise<void> {
  // At once: users may wait for it.
  await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      run(redis, 'announce', [shardKeys(rainId, shard).state], [total, shards, always ? '1' : '0']),
    ),
  );
}
