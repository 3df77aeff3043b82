import { shardKeys, shardOf } from '../../store/keys.ts';
import type { BookedCredit } from '../../ledger/book.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { parseClaim } from '../../rain/claim.ts';
import { formatMoney } from '../../rain/money.ts';
import type { QueueContext } from '../context.ts';
import { logEnds, readLog, type Positions } from './log.ts';
import { statusOf, statusesOf, type Winner } from './winner.ts';

/**
 * Winners come from two sources: first the claim log, latest first, each with its status; then the credits in the ledger that
 * the log does not hold. After the log's keys expire, all credits come from the ledger.
 */
export type Cursor = { in: 'log'; from: Positions } | { in: 'book'; afterUserId?: string };

export interface WinnerPage {
  winners: Winner[];
  /**
   * Absent: this was the last page. A page may be empty without being the last: one answer reads a bounded number of entries
   * [R10].
   */
  next?: Cursor;
}

const PAGE = 1_000;
/** Entries or credits read for one answer. */
const ENTRIES_READ_MAX = 20_000;

export async function firstPage(context: QueueContext, rain: BookedRain): Promise<Cursor> {
  const from = await logEnds(context, rain);
  return from ? { in: 'log', from } : { in: 'book' };
}

/** @param packet prefix of the packet ids to return */
export async function listWinners(context: QueueContext, rain: BookedRain, cursor: Cursor, limit: number, packet = ''): Promise<WinnerPage> {
  const winners: Winner[] = [];
  let at: Cursor | undefined = cursor;
  for (let entriesRead = 0; at && winners.length < limit && entriesRead < ENTRIES_READ_MAX; entriesRead += PAGE) {
    const page: WinnerPage = at.in === 'log' ? await fromLog(context, rain, at.from, packet === '' ? limit - winners.length : PAGE, packet, limit - winners.length) : await fromBook(context, rain, at.afterUserId, packet, limit - winners.length);
    winners.push(...page.winners);
    at = page.next;
  }
  return { winners, ...(at && { next: at }) };
}

async function fromLog(context: QueueContext, rain: BookedRain, from: Positions, read: number, packet: string, limit: number): Promise<WinnerPage> {
  const { logged, next } = await readLog(context, rain, from, Math.min(read, PAGE));
  let wanted = logged.filter(({ claim }) => claim.redPacketId.startsWith(packet));
  let rest: number[] = [...next];
  if (wanted.length > limit) {
    // More than requested: the next page begins before the first claim that is left out.
    wanted = wanted.slice(0, limit);
    const last = logged.indexOf(wanted.at(-1)!);
    rest = [...from];
    for (const { shard, index } of logged.slice(0, last + 1)) rest[shard] = index;
  }
  return { winners: await statusesOf(context, rain.id, wanted), next: rest.some((left) => left > 0) ? { in: 'log', from: rest } : { in: 'book' } };
}

async function fromBook(context: QueueContext, rain: BookedRain, afterUserId: string | undefined, packet: string, limit: number): Promise<WinnerPage> {
  const credits = await context.ledger.credits(rain.id, afterUserId, PAGE);
  const matching = (await notInLog(context, rain, credits)).filter(({ redPacketId }) => redPacketId.startsWith(packet));
  const kept = matching.slice(0, limit);
  const postedAt = new Map((await context.ledger.postings(kept.map(({ redPacketId }) => redPacketId))).map((posting) => [posting.redPacketId, posting.postedAt]));
  const winners = kept.map(({ redPacketId, userId, amountCents }): Winner => ({
    redPacketId, userId, amount: formatMoney(amountCents), at: new Date(postedAt.get(redPacketId) ?? 0).toISOString(), status: 'credited',
  }));
  const last = matching.length > kept.length ? kept.at(-1)?.userId : credits.at(-1)?.userId;
  return { winners, ...(last !== undefined && (credits.length === PAGE || matching.length > kept.length) && { next: { in: 'book', afterUserId: last } }) };
}

/** The credits whose claim Redis does not hold, or no longer holds. */
async function notInLog({ redis }: QueueContext, { id, shards }: BookedRain, credits: readonly BookedCredit[]): Promise<BookedCredit[]> {
  const held = await Promise.all(Array.from({ length: shards }, async (_, shard) => {
    const users = credits.filter(({ userId }) => shardOf(userId, shards) === shard).map(({ userId }) => userId);
    const claims = users.length === 0 ? [] : await redis.hmget(shardKeys(id, shard).claimed, ...users);
    return users.map((user, i) => [user, packetIn(claims[i])] as const);
  }));
  const packetOf = new Map(held.flat());
  return credits.filter(({ userId, redPacketId }) => packetOf.get(userId) !== redPacketId);
}

function packetIn(entry: string | null | undefined): string | undefined {
  const parsed = parseClaim(entry ?? '');
  return parsed.ok ? parsed.claim.redPacketId : undefined;
}

/** The win of one user, by exact id. */
export async function findWinner(context: QueueContext, { id, shards }: BookedRain, userId: string): Promise<Winner | undefined> {
  const parsed = parseClaim(await context.redis.hget(shardKeys(id, shardOf(userId, shards)).claimed, userId) ?? '');
  if (parsed.ok && parsed.claim.userId === userId) return statusOf(context, parsed.claim);
  const credit = await context.ledger.creditOf(id, userId);
  return credit && { redPacketId: credit.redPacketId, userId, amount: formatMoney(credit.amountCents), at: new Date(credit.postedAt).toISOString(), status: 'credited' };
}

/** All winners page by page, as they were when the first page was read. */
export async function* allWinners(context: QueueContext, rain: BookedRain): AsyncGenerator<Winner[], void> {
  for (let at: Cursor | undefined = await firstPage(context, rain); at;) {
    const page: WinnerPage = await listWinners(context, rain, at, PAGE);
    if (page.winners.length > 0) yield page.winners;
    at = page.next;
  }
}
