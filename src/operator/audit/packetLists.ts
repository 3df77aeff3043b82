import { z } from 'zod';
import { shardKeys } from '../../store/keys.ts';
import { ELEMENTS_PAGE } from '../../store/rains.ts';
import { amount } from '../../rain/claim.ts';
import { readJson } from '../../rain/json.ts';
import { formatMoney, parseMoney } from '../../rain/money.ts';
import type { OperatorContext } from '../context.ts';
import type { BookedPlan } from './bookedPlan.ts';
import { countMoves, readMoved } from './movedPackets.ts';
import { createPacketMarks, type PacketMarks } from './packetMarks.ts';
import type { TamperingList } from './tampering.ts';

const packet = z.object({ redPacketId: z.string(), amount });

/** The packet lists of all shards. */
interface PacketLists {
  /** The packets that are in a list. */
  left: PacketMarks;
  /** By shard: packets pushed before its list was read; Infinity when its state is gone, but not its data. */
  loaded: number[];
  /** List elements that are not packets. */
  spoiled: number;
  /** Packets that were on their way from shard to shard, or may have been, while the lists were read. */
  onTheirWay: PacketMarks;
}

/** Fields of the state that count what was pushed to the list. */
const PUSHED = ['loaded', 'movedIn'] as const;

/** A longer name of an entry is cut, UTF-16 units. */
const MOVE_ID_SHOWN_MAX = 60;

interface Reading {
  lists: PacketLists;
  /** Ids that were read twice, by index: from two shards, if their packets moved meanwhile. */
  twice: Map<number, string>;
  tampering: TamperingList;
}

export async function readPacketLists(
  context: OperatorContext,
  plan: BookedPlan,
  tampering: TamperingList,
): Promise<PacketLists> {
  const { id: rainId, shards } = plan.rain();
  const lists: PacketLists = { left: createPacketMarks(), loaded: [], spoiled: 0, onTheirWay: createPacketMarks() };
  const twice = new Map<number, string>();
  const before = await countMoves(context, rainId, shards);
  for (let shard = 0; shard < shards; shard++) await readShard(context, plan, shard, { lists, twice, tampering });
  const moved = await readMoved(context, plan, lists.left, tampering);
  for (const { shard, where, moveId } of moved.foreign) {
    const what =
      moveId === undefined
        ? 'is of another type'
        : `has an entry that is no move: ${moveId.slice(0, MOVE_ID_SHOWN_MAX)}`;
    tampering.note('false_move', `${shard}/${where}=${moveId ?? ''}`, `${where} of shard ${shard} ${what}`);
  }
  // Nothing has moved meanwhile: what is not in a list is on its way only if its move has not arrived.
  const isAtRest = before === (await countMoves(context, rainId, shards));
  lists.onTheirWay = isAtRest ? moved.onTheirWay : moved.ever;
  if (isAtRest)
    for (const id of moved.alsoListed.values())
      tampering.note('packet_twice', id, `${id} is in the list, and on its way to another shard`);
  for (const [index, id] of twice)
    if (!lists.onTheirWay.has(index)) tampering.note('packet_twice', id, `${id} is in the list twice`);
  return lists;
}

async function readShard(
  { redis }: OperatorContext,
  plan: BookedPlan,
  shard: number,
  { lists, twice, tampering }: Reading,
): Promise<void> {
  const { id: rainId } = plan.rain();
  const keys = shardKeys(rainId, shard);
  const [[, [state, loaded, movedIn]], [, others]] = (await redis
    .multi()
    .hmget(keys.state, 'state', ...PUSHED)
    .exists(keys.packets, keys.claimed, keys.claims)
    .exec()) as [[null, (string | null)[]], [null, number]];
  const isGone = state === null && others > 0;
  if (isGone) {
    tampering.note(
      'state_gone',
      String(shard),
      `Redis has lost the state of shard ${shard}, but not its claims; put it back with rain restore apply ${rainId}`,
    );
  }
  lists.loaded[shard] = isGone ? Infinity : state === null || state === 'draft' ? 0 : Number(loaded);
  if (!isGone && (state === null || state === 'draft')) return;
  // Grabs and moves take from the tail, so positions counted from the head are stable, except for packets that a top-up
  // or a move pushes meanwhile. PUSHED, read in the same step as the page, gives the number of those.
  const pushedBefore = Number(loaded) + Number(movedIn ?? 0);
  for (let from = 0, pushed = 0, length = await redis.llen(keys.packets); from < length;) {
    const [[, elements], [, now]] = (await redis
      .multi()
      .lrange(keys.packets, from + pushed, from + pushed + ELEMENTS_PAGE - 1)
      .hmget(keys.state, ...PUSHED)
      .exec()) as [[null, string[]], [null, (string | null)[]]];
    const seenBefore = Math.max(0, Number(now[0] ?? loaded) + Number(now[1] ?? 0) - pushedBefore - pushed);
    await readElements(elements.slice(seenBefore), plan, { lists, twice, tampering });
    pushed += seenBefore;
    from += Math.max(0, ELEMENTS_PAGE - seenBefore);
  }
}

async function readElements(
  elements: readonly string[],
  plan: BookedPlan,
  { lists, twice, tampering }: Reading,
): Promise<void> {
  const parsed = elements.map((element) => packet.safeParse(readJson(element)));
  await plan.include(parsed.flatMap(({ data }) => (data ? [data.redPacketId] : [])));
  for (const { data } of parsed) {
    if (!data) {
      lists.spoiled++;
      continue;
    }
    const { redPacketId: id, amount: listed } = data;
    const cents = plan.amountOf(id);
    if (cents === undefined || cents !== parseMoney(listed)) {
      const instead = cents === undefined ? 'is not a packet of this rain' : `allocated as ${formatMoney(cents)}`;
      tampering.note('false_packet', `${id}=${listed}`, `${id} is in the list as ${listed} and ${instead}`);
    }
    const index = plan.allocatedIndexOf(id);
    // Others are noted above, and there may be any number of them [R10].
    if (index === undefined) continue;
    if (lists.left.has(index)) twice.set(index, id);
    lists.left.add(index);
  }
}
