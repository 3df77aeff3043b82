import { deadLetterId, type LogEntry } from '../../credit/deadLetter.ts';
import { shardKeys } from '../../store/keys.ts';
import { ELEMENTS_PAGE, readEntries } from '../../store/rains.ts';
import { parseClaim, type Claim } from '../../rain/claim.ts';
import { parseMoney } from '../../rain/money.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { OperatorContext } from '../context.ts';
import { discardedAmong, type Booked, type Posted } from './booked.ts';
import type { ToldTwice } from './findings.ts';

/** The claim log, compared with the ledger. */
export interface Logged {
  /** redPacketId → its valid claim. `discarded`: it was credited with another amount, and the operator has discarded the claim. */
  claims: Map<string, Posted & { discarded: boolean }>;
  /** Packets that only invalid claims name: told twice, or discarded. */
  named: Set<string>;
  /** Claims that cannot be paid from this rain and are not discarded. */
  toldTwice: ToldTwice[];
  /** Entries that are not claims of this rain, discarded or not. Each may have cost a packet. */
  unread: number;
  /** List elements that were set aside as spoiled. */
  spoiled: number;
  problems: string[];
}

export async function readClaimLog(context: OperatorContext, rain: { id: string; shards: number }, booked: Booked): Promise<Logged> {
  const logged: Logged = { claims: new Map(), named: new Set(), toldTwice: [], unread: 0, spoiled: 0, problems: [] };
  const waiting = new Set<string>();
  const isDiscarded = discardedAmong(booked.acknowledged.keys());
  for (let shard = 0; shard < rain.shards; shard++) {
    const keys = shardKeys(rain.id, shard);
    const [[, length], [, spoiled]] = await context.redis.multi().llen(keys.claims).llen(keys.spoiled).exec() as [[null, number], [null, number]];
    logged.spoiled += spoiled;
    for await (const page of logPages(context.redis, rain.id, shard, { length })) {
      for (const place of page) readEntry(place, isDiscarded(place), booked, logged, waiting);
    }
  }
  return logged;
}

/** The claim log of one shard, oldest first. @param length entries to read; absent: all that there are now */
export async function* logPages(redis: RedisClient, rainId: string, shard: number, { length, page = ELEMENTS_PAGE }: { length?: number; page?: number } = {}): AsyncGenerator<LogEntry[]> {
  const end = length ?? await redis.llen(shardKeys(rainId, shard).claims);
  for (let from = 0; from < end; from += page) {
    const entries = await readEntries(redis, rainId, shard, from, Math.min(from + page, end));
    yield entries.map((entry, i) => ({ rainId, shard, index: from + i, entry }));
  }
}

/** @param waiting users with a claim in the log and no credit */
function readEntry(place: LogEntry, discarded: boolean, booked: Booked, logged: Logged, waiting: Set<string>): void {
  const parsed = parseClaim(place.entry);
  if (!parsed.ok || parsed.claim.rainId !== place.rainId) {
    logged.unread++;
    const fault = parsed.ok ? `it is of rain ${parsed.claim.rainId}` : parsed.reason;
    if (!discarded) logged.problems.push(`an entry of the claim log is not a claim: ${fault}; letter ${deadLetterId(place)}`);
    return;
  }
  const { redPacketId, userId, amount } = parsed.claim;
  const credit = booked.credits.get(redPacketId);
  if (discarded && credit?.userId !== userId) return void logged.named.add(redPacketId);
  const earlier = logged.claims.get(redPacketId);
  if (earlier?.userId === userId) {
    if (!discarded) logged.problems.push(`${redPacketId} is in the claim log twice, for ${userId}`);
    return;
  }
  if (earlier || booked.discards.has(redPacketId) || (credit && credit.userId !== userId)) {
    logged.named.add(redPacketId);
    logged.toldTwice.push(toToldTwice(place, parsed.claim, credit && { userId: credit.userId, redPacketId }));
    return;
  }
  logged.claims.set(redPacketId, { userId, cents: parseMoney(amount)!, discarded });
  if (credit) return;
  // The packet's money is still in the rain, but this user must not get a second packet [R1].
  const other = booked.packetOf.get(userId);
  if (other !== undefined || waiting.has(userId)) logged.toldTwice.push(toToldTwice(place, parsed.claim, other === undefined ? undefined : { userId, redPacketId: other }));
  waiting.add(userId);
}

function toToldTwice(place: LogEntry, { redPacketId, amount, userId }: Claim, paid: ToldTwice['paid']): ToldTwice {
  return { redPacketId, amountCents: parseMoney(amount)!, toldTo: userId, ...(paid && { paid }), letterId: deadLetterId(place) };
}
