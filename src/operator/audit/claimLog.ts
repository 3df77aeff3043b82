import { deadLetterId, type LogEntry } from '../../credit/deadLetter.ts';
import { shardKeys } from '../../store/keys.ts';
import { ELEMENTS_PAGE, readEntries } from '../../store/rains.ts';
import { parseClaim, type Claim } from '../../rain/claim.ts';
import { parseMoney } from '../../rain/money.ts';
import type { OperatorContext } from '../context.ts';
import type { Booked, Posted } from './booked.ts';
import type { ToldTwice } from './findings.ts';
import { discardedAmong } from './discarded.ts';

/** What the claim log says, beside what the book knows. */
export interface Logged {
  /** redPacketId → the claim of it that stands. `resting`: it was credited with another amount, and that is discarded. */
  claims: Map<string, Posted & { resting: boolean }>;
  /** Packets that only other claims name: told twice, or discarded. */
  named: Set<string>;
  /** Claims that cannot be paid out of this rain, and are not discarded. */
  promises: ToldTwice[];
  /** Entries that are no claims of this rain, discarded or not; each may have cost a packet. */
  unread: number;
  /** Elements set aside. */
  spoiled: number;
  problems: string[];
}

export async function readClaimLog(context: OperatorContext, rain: { id: string; shards: number }, booked: Booked): Promise<Logged> {
  const logged: Logged = { claims: new Map(), named: new Set(), promises: [], unread: 0, spoiled: 0, problems: [] };
  const waiting = new Set<string>();
  const isResting = discardedAmong(booked.resting.keys());
  for (let shard = 0; shard < rain.shards; shard++) {
    const keys = shardKeys(rain.id, shard);
    const [[, length], [, spoiled]] = await context.redis.multi().llen(keys.claims).llen(keys.spoiled).exec() as [[null, number], [null, number]];
    logged.spoiled += spoiled;
    for (let from = 0; from < length; from += ELEMENTS_PAGE) {
      const entries = await readEntries(context.redis, rain.id, shard, from, Math.min(from + ELEMENTS_PAGE, length));
      for (const [i, entry] of entries.entries()) {
        const place = { rainId: rain.id, shard, index: from + i, entry };
        readEntry(place, isResting(place), booked, logged, waiting);
      }
    }
  }
  return logged;
}

/** @param waiting users who have a claim in the log and no credit */
function readEntry(place: LogEntry, resting: boolean, booked: Booked, logged: Logged, waiting: Set<string>): void {
  const parsed = parseClaim(place.entry);
  if (!parsed.ok || parsed.claim.rainId !== place.rainId) {
    logged.unread++;
    const fault = parsed.ok ? `it is of rain ${parsed.claim.rainId}` : parsed.reason;
    if (!resting) logged.problems.push(`an entry of the claim log is no claim: ${fault}; letter ${deadLetterId(place)}`);
    return;
  }
  const { redPacketId, userId, amount } = parsed.claim;
  const credit = booked.credits.get(redPacketId);
  if (resting && credit?.userId !== userId) return void logged.named.add(redPacketId);
  const standing = logged.claims.get(redPacketId);
  if (standing?.userId === userId) {
    if (!resting) logged.problems.push(`${redPacketId} stands in the claim log twice, for ${userId}`);
    return;
  }
  if (standing || booked.discards.has(redPacketId) || (credit && credit.userId !== userId)) {
    logged.named.add(redPacketId);
    logged.promises.push(promise(place, parsed.claim, credit && { userId: credit.userId, redPacketId }));
    return;
  }
  logged.claims.set(redPacketId, { userId, cents: parseMoney(amount)!, resting });
  if (credit) return;
  // The packet's money is still in the rain, but this user cannot have it [R1].
  const other = booked.packetOf.get(userId);
  if (other !== undefined || waiting.has(userId)) logged.promises.push(promise(place, parsed.claim, other === undefined ? undefined : { userId, redPacketId: other }));
  waiting.add(userId);
}

function promise(place: LogEntry, { redPacketId, amount, userId }: Claim, paid: ToldTwice['paid']): ToldTwice {
  return { redPacketId, amountCents: parseMoney(amount)!, toldTo: userId, ...(paid && { paid }), letterId: deadLetterId(place) };
}
