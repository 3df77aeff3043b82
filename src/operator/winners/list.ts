import { shardKeys, shardOf } from '../../store/keys.ts';
import type { BookedCredit } from '../../ledger/book.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { parseClaim } from '../../rain/claim.ts';
import { iso } from '../../rain/figures.ts';
import { formatMoney } from '../../rain/money.ts';
import type { QueueContext } from '../context.ts';
import { withParticipants } from '../withParticipants.ts';
import { logEnds, readLog, type Positions } from './log.ts';
import { statusOf, statusesOf, type Winner } from './winner.ts';

/**
 * First the claim log, latest first; then the credits in the ledger that the log does not hold: all of them once its
 * keys have expired.
 */
export type Cursor = { in: 'log'; from: Positions } | { in: 'book'; afterUserId?: string };

export interface WinnerPage {
  winners: Winner[];
  /** Absent: this was the last page. A page may be empty without being the last: reading is bounded [R10]. */
  next?: Cursor;
}

const PAGE = 1_000;
/** Entries or credits read for one answer. */
const ENTRIES_READ_MAX = 20_000;

interface Search {
  /** An exact user id, a packet number, or a prefix of packet ids; absent: all winners. */
  search?: string | undefined;
  /** Absent: begin with the latest. */
  at?: Cursor | undefined;
  limit: number;
}

/** The matching winners, latest first. A user id may look like a packet id; the user is found first. */
export async function searchWinners(
  context: QueueContext,
  rain: BookedRain,
  { search, at, limit }: Search,
): Promise<WinnerPage> {
  const packet = search === undefined ? '' : packetPrefix(rain.id, search);
  const user = search === undefined || at !== undefined ? undefined : await findWinner(context, rain, search);
  if (user) return { winners: await withParticipants(context, [user]) };
  return packet === undefined
    ? { winners: [] }
    : listWinners(context, rain, at ?? (await firstPage(context, rain)), limit, packet);
}

/** `undefined`: not a packet of this rain. */
function packetPrefix(rainId: string, search: string): string | undefined {
  if (/^\d{1,9}$/.test(search)) return `${rainId}-${search}`;
  return search.startsWith(`${rainId}-`) ? search : undefined;
}

async function firstPage(context: QueueContext, rain: BookedRain): Promise<Cursor> {
  const from = await logEnds(context, rain);
  return from ? { in: 'log', from } : { in: 'book' };
}

/** @param packet prefix of the packet ids to return */
async function listWinners(
  context: QueueContext,
  rain: BookedRain,
  cursor: Cursor,
  limit: number,
  packet = '',
): Promise<WinnerPage> {
  const winners: Winner[] = [];
  let at: Cursor | undefined = cursor;
  for (let entriesRead = 0; at && winners.length < limit && entriesRead < ENTRIES_READ_MAX; entriesRead += PAGE) {
    const wanted = limit - winners.length;
    const page: WinnerPage =
      at.in === 'log'
        ? await fromLog(context, rain, at.from, packet, wanted)
        : await fromBook(context, rain, at.afterUserId, packet, wanted);
    winners.push(...page.winners);
    at = page.next;
  }
  return { winners: await withParticipants(context, winners), ...(at && { next: at }) };
}

async function fromLog(
  context: QueueContext,
  rain: BookedRain,
  from: Positions,
  packet: string,
  limit: number,
): Promise<WinnerPage> {
  const { logged, next } = await readLog(context, rain, from, packet === '' ? Math.min(limit, PAGE) : PAGE);
  const matching = logged.filter(({ claim }) => claim.redPacketId.startsWith(packet));
  const kept = matching.slice(0, limit);
  let rest: number[] = [...next];
  if (matching.length > limit) {
    // More than requested: the next page begins before the first claim that is left out.
    rest = [...from];
    for (const { shard, index } of logged.slice(0, logged.indexOf(kept.at(-1)!) + 1)) rest[shard] = index;
  }
  return {
    winners: await statusesOf(context, kept),
    next: rest.some((left) => left > 0) ? { in: 'log', from: rest } : { in: 'book' },
  };
}

async function fromBook(
  context: QueueContext,
  rain: BookedRain,
  afterUserId: string | undefined,
  packet: string,
  limit: number,
): Promise<WinnerPage> {
  const credits = await context.ledger.credits(rain.id, afterUserId, PAGE);
  const matching = (await notInLog(context, rain, credits)).filter(({ redPacketId }) => redPacketId.startsWith(packet));
  const kept = matching.slice(0, limit);
  const postedAt = new Map(
    (await context.ledger.postings(kept.map(({ redPacketId }) => redPacketId))).map((posting) => [
      posting.redPacketId,
      posting.postedAt,
    ]),
  );
  const winners = kept.map((credit) => creditedWinner(credit, postedAt.get(credit.redPacketId) ?? 0));
  const last = matching.length > kept.length ? kept.at(-1)?.userId : credits.at(-1)?.userId;
  return {
    winners,
    ...(last !== undefined &&
      (credits.length === PAGE || matching.length > kept.length) && { next: { in: 'book', afterUserId: last } }),
  };
}

/** The credits whose claim Redis does not hold, or no longer holds. */
async function notInLog(
  { redis }: QueueContext,
  { id, shards }: BookedRain,
  credits: readonly BookedCredit[],
): Promise<BookedCredit[]> {
  const held = await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const users = credits.filter(({ userId }) => shardOf(userId, shards) === shard).map(({ userId }) => userId);
      const claims = users.length === 0 ? [] : await redis.hmget(shardKeys(id, shard).claimed, ...users);
      return users.map((user, i) => {
        const parsed = parseClaim(claims[i] ?? '');
        return [user, parsed.ok ? parsed.claim.redPacketId : undefined] as const;
      });
    }),
  );
  const packetOf = new Map(held.flat());
  return credits.filter(({ userId, redPacketId }) => packetOf.get(userId) !== redPacketId);
}

/** The win of one user, by exact id. */
async function findWinner(
  context: QueueContext,
  { id, shards }: BookedRain,
  userId: string,
): Promise<Winner | undefined> {
  const parsed = parseClaim((await context.redis.hget(shardKeys(id, shardOf(userId, shards)).claimed, userId)) ?? '');
  if (parsed.ok && parsed.claim.userId === userId) return statusOf(context, parsed.claim);
  const credit = await context.ledger.creditOf(id, userId);
  return credit && creditedWinner({ ...credit, userId }, credit.postedAt);
}

function creditedWinner({ redPacketId, userId, amountCents }: BookedCredit, postedAt: number): Winner {
  return { redPacketId, userId, amount: formatMoney(amountCents), at: iso(postedAt), status: 'credited' };
}

/** All winners, as they were when the first page was read. */
export async function* allWinners(context: QueueContext, rain: BookedRain): AsyncGenerator<Winner, void> {
  for (let at: Cursor | undefined = await firstPage(context, rain); at;) {
    const page: WinnerPage = await listWinners(context, rain, at, PAGE);
    yield* page.winners;
    at = page.next;
  }
}
