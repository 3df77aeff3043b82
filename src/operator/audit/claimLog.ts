import { deadLetterId, type LogEntry } from '../../credit/deadLetter.ts';
import { shardKeys } from '../../store/keys.ts';
import { ELEMENTS_PAGE, readEntries, redisNow } from '../../store/rains.ts';
import { parseClaim, type Claim } from '../../rain/claim.ts';
import { formatMoney, parseMoney } from '../../rain/money.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { OperatorContext } from '../context.ts';
import type { BookedPlan } from './bookedPlan.ts';
import { discardedAmong } from './booked.ts';
import type { BookedPackets } from './bookedPackets.ts';
import { checkClaimTime } from './claimTime.ts';
import { compareClaimed, nameUnlogged, type ValidEntry } from './claimedHash.ts';
import type { ToldTwice } from './findings.ts';
import { createPacketMarks, createPacketUsers, type PacketMarks, type PacketUsers } from './packetMarks.ts';
import type { TamperingList } from './tampering.ts';
import { createUserSet, type UserDigest, type UserSet } from './userDigest.ts';
import type { Opening } from './windows.ts';

/** The claim log, compared with the plan, the ledger and the dedupe hash. */
export interface Logged {
  /** The user with the valid claim of each packet. */
  claims: PacketUsers;
  /** Packets that only invalid claims name: false, told twice, or discarded. */
  named: PacketMarks;
  /** Valid claims whose packets were in a list after they were won, by the index of the packet. */
  listed: Map<number, Claim>;
  /** Claims that cannot be paid from this rain and are not discarded. */
  toldTwice: ToldTwice[];
  /** Entries that are not claims of this rain or not in its plan, discarded or not. Each may have cost a packet. */
  unread: number;
  /** List elements that were set aside as spoiled. */
  spoiled: number;
  /** Valid claims whose users are missing in the dedupe hash. */
  missing: ValidEntry[];
  /** Packets whose claims a gateway put back after a failover, into the log alone. */
  restored: Set<string>;
  problems: string[];
}

/** The facts known before the log is read. */
interface Known {
  booked: BookedPackets;
  plan: BookedPlan;
  tampering: TamperingList;
  windows: readonly Opening[];
  digestOf: UserDigest;
  /** Whether this packet was in a list after this moment, epoch ms by Redis's clock. */
  wasListed: (index: number, at: number) => boolean;
}

/** The log is read page by page, and of each claim a few bytes are kept: also a million of them fit. */
export async function readClaimLog(context: OperatorContext, known: Known): Promise<Logged> {
  const { booked, plan, tampering, windows, digestOf } = known;
  const logged: Logged = {
    claims: createPacketUsers(digestOf),
    named: createPacketMarks(),
    listed: new Map(),
    toldTwice: [],
    unread: 0,
    spoiled: 0,
    missing: [],
    restored: new Set(),
    problems: [],
  };
  const waiting = createUserSet(digestOf);
  const isDiscarded = discardedAmong(booked.acknowledged.keys());
  const { id: rainId, shards } = plan.rain();
  for (let shard = 0; shard < shards; shard++) {
    const keys = shardKeys(rainId, shard);
    const [[, length], [, spoiled], [, claimed]] = (await context.redis
      .multi()
      .llen(keys.claims)
      .llen(keys.spoiled)
      .hlen(keys.claimed)
      .exec()) as [[null, number], [null, number], [null, number]];
    logged.spoiled += spoiled;
    const users = createUserSet(digestOf);
    // A claim may have come back for another user; far more were written by somebody else [R10].
    const usersMax = plan.totals().at(-1)! + USERS_SPARE;
    for await (const page of logPages(context.redis, rainId, shard, { length })) {
      const parsed = page.map((place) => ({ place, parsed: parseClaim(place.entry) }));
      await plan.include(parsed.flatMap((entry) => (entry.parsed.ok ? [entry.parsed.claim.redPacketId] : [])));
      const claims = parsed.flatMap((entry) => (entry.parsed.ok ? [entry.parsed.claim] : []));
      const others = await readOthers(context, claims, known);
      const now = await redisNow(context.redis);
      const real: ValidEntry[] = [];
      for (const { place, parsed: read } of parsed) {
        const standing = readEntry(place, read, isDiscarded(place), { ...known, others }, logged, waiting);
        if (standing === 'none' || !read.ok) continue;
        real.push({ ...place, claim: read.claim });
        if (standing === 'valid') checkClaimTime(read.claim, now, windows, tampering);
      }
      const named = (users.size() > usersMax ? real.map(({ claim }) => claim) : claims).map(({ userId }) => userId);
      await compareClaimed(context, { rainId, shard }, named, real, users, logged, tampering);
    }
    if (users.size() > usersMax)
      note(logged, `the claim log of shard ${shard} names more users than the rain has packets`);
    else if (claimed > users.size()) await nameUnlogged(context.redis, { rainId, shard, length }, users, tampering);
  }
  const contested = new Set(logged.toldTwice.map(({ toldTo }) => toldTo));
  logged.missing = logged.missing.filter(({ claim: { userId } }) => !contested.has(userId));
  return logged;
}

/** The credits that speak against claims of one page. */
interface Others {
  /** redPacketId → who was credited with it. */
  paidTo: ReadonlyMap<string, string>;
  /** userId → the packet that the user was credited with. */
  packetOf: ReadonlyMap<string, string>;
}

/**
 * The ledger is asked only about packets that were credited to somebody else, and about users whose claim is not
 * credited.
 */
async function readOthers(
  { ledger }: OperatorContext,
  claims: readonly Claim[],
  { booked: { credited }, plan }: Pick<Known, 'booked' | 'plan'>,
): Promise<Others> {
  const asked = { redPacketIds: [] as string[], userIds: [] as string[] };
  for (const { redPacketId, userId } of claims) {
    const index = plan.allocatedIndexOf(redPacketId);
    if (index === undefined) continue;
    if (!credited.has(index)) asked.userIds.push(userId);
    else if (!credited.is(index, userId)) asked.redPacketIds.push(redPacketId);
  }
  const found =
    asked.redPacketIds.length + asked.userIds.length === 0 ? [] : await ledger.creditsTo(plan.rain().id, asked);
  return {
    paidTo: new Map(found.map(({ redPacketId, userId }) => [redPacketId, userId])),
    packetOf: new Map(found.map(({ redPacketId, userId }) => [userId, redPacketId])),
  };
}

/** Users beyond the number of packets that a shard may have, contested claims and problems kept of one log [R10]. */
const USERS_SPARE = 10_000;
const TOLD_TWICE_MAX = 10_000;
const PROBLEMS_MAX = 1_000;

function note({ problems }: Logged, problem: string): void {
  if (problems.length < PROBLEMS_MAX) problems.push(problem);
}

function contest({ toldTwice }: Logged, told: ToldTwice): void {
  if (toldTwice.length < TOLD_TWICE_MAX) toldTwice.push(told);
}

/** The claim log of one shard, oldest first. @param length entries to read; absent: all that there are now */
export async function* logPages(
  redis: RedisClient,
  rainId: string,
  shard: number,
  { length, page = ELEMENTS_PAGE }: { length?: number; page?: number } = {},
): AsyncGenerator<LogEntry[]> {
  const end = length ?? (await redis.llen(shardKeys(rainId, shard).claims));
  for (let from = 0; from < end; from += page) {
    const entries = await readEntries(redis, rainId, shard, from, Math.min(from + page, end));
    yield entries.map((entry, i) => ({ rainId, shard, index: from + i, entry }));
  }
}

/**
 * @param waiting users with a claim in the log and no credit
 * @returns `valid` it is the one claim of its packet and its user · `contested` it is told twice · `none` it is no
 *   claim, or discarded
 */
function readEntry(
  place: LogEntry,
  parsed: ReturnType<typeof parseClaim>,
  discarded: boolean,
  { booked, plan, tampering, wasListed, others }: Known & { others: Others },
  logged: Logged,
  waiting: UserSet,
): 'valid' | 'contested' | 'none' {
  if (!parsed.ok || parsed.claim.rainId !== place.rainId) {
    logged.unread++;
    if (!discarded) note(logged, describeNoClaim(place, parsed));
    return 'none';
  }
  const { redPacketId, userId, amount, at } = parsed.claim;
  const index = plan.allocatedIndexOf(redPacketId);
  const isPaid = index !== undefined && booked.credited.is(index, userId);
  const allocated = plan.amountOf(redPacketId);
  if (index === undefined || allocated !== parseMoney(amount)!) {
    // It names no packet, or another amount: it is never money. The packet counts by where it lies.
    logged.unread++;
    if (isPaid) logged.named.add(index);
    if (!discarded) tampering.note('false_claim', deadLetterId(place), describeFalse(place, parsed.claim, allocated));
    return 'none';
  }
  if (discarded && !isPaid) {
    logged.named.add(index);
    return 'none';
  }
  if (logged.claims.is(index, userId)) {
    if (!discarded) note(logged, `${redPacketId} is in the claim log twice, for ${userId}`);
    return 'none';
  }
  const isCredited = booked.credited.has(index);
  if (logged.claims.has(index) || isGone(booked, index, parsed.claim)) {
    logged.named.add(index);
    contest(
      logged,
      toToldTwice(place, parsed.claim, isCredited ? paidFor(redPacketId, isPaid, userId, others) : undefined),
    );
    return 'contested';
  }
  logged.claims.set(index, userId);
  if (wasListed(index, Number(at))) logged.listed.set(index, parsed.claim);
  if (isCredited) return discarded ? 'none' : 'valid';
  return isSecond(place, parsed.claim, others, logged, waiting) ? 'contested' : 'valid';
}

/** Whether the packet's money went elsewhere. */
function isGone({ discards, credited }: BookedPackets, index: number, { redPacketId, userId }: Claim): boolean {
  return discards.has(redPacketId) || (credited.has(index) && !credited.is(index, userId));
}

/**
 * The packet's money is still in the rain, but its user must not get a second packet [R1]. This one may have been
 * credited meanwhile.
 */
function isSecond(place: LogEntry, claim: Claim, others: Others, logged: Logged, waiting: UserSet): boolean {
  const { redPacketId, userId } = claim;
  const other = others.packetOf.get(userId);
  const hasOther = other !== undefined && other !== redPacketId;
  const second = hasOther || waiting.has(userId);
  if (second) contest(logged, toToldTwice(place, claim, hasOther ? { userId, redPacketId: other } : undefined));
  waiting.add(userId);
  return second;
}

/** The payee of a credited packet, if one is known. */
function paidFor(redPacketId: string, isPaid: boolean, userId: string, { paidTo }: Others): ToldTwice['paid'] {
  const payee = isPaid ? userId : paidTo.get(redPacketId);
  return payee === undefined ? undefined : { userId: payee, redPacketId };
}

function describeNoClaim(place: LogEntry, parsed: ReturnType<typeof parseClaim>): string {
  const fault = parsed.ok ? `it is of rain ${parsed.claim.rainId}` : parsed.reason;
  return `an entry of the claim log is not a claim: ${fault}; letter ${deadLetterId(place)}`;
}

function describeFalse(
  place: LogEntry,
  { redPacketId, amount, userId }: Claim,
  allocatedCents: bigint | undefined,
): string {
  const won = `${redPacketId} was won as ${amount}`;
  const letter = `letter ${deadLetterId(place)}`;
  return allocatedCents === undefined
    ? `${won} by ${userId} and is not a packet of this rain; ${letter}`
    : `${won} and allocated as ${formatMoney(allocatedCents)}, by ${userId}; ${letter}`;
}

function toToldTwice(place: LogEntry, { redPacketId, amount, userId }: Claim, paid: ToldTwice['paid']): ToldTwice {
  return {
    redPacketId,
    amountCents: parseMoney(amount)!,
    toldTo: userId,
    ...(paid && { paid }),
    letterId: deadLetterId(place),
  };
}
