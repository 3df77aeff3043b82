import { SETTLED_TTL_MS } from '../store/keys.ts';
import { endMoves } from '../store/endMoves.ts';
import { close, freeze, settle } from '../store/transitions.ts';
import { countClaims, readRain, redisNow, type LiveRain, type StoredRain } from '../store/rains.ts';
import { auditRain, type Audit } from './audit.ts';
import { describeToldTwice } from './audit/findings.ts';
import { goneReason, onlyInRedisReason } from './restore/presence.ts';
import { rollOver } from './campaign/rollOver.ts';
import { revealOf } from './commitment.ts';
import { bookOf, type OperatorContext } from './context.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import type { SinceReconnect } from '../platform/redis/reconnectTimer.ts';

/**
 * Once Redis is reachable again, gateways restore wins that it lost. Settling before that would give their money away.
 */
export interface AfterReconnect {
  /** How long Redis has been reachable again, ms, as far as this process knows. Absent: it was never unreachable. */
  sinceReconnect?: SinceReconnect | undefined;
  /** How long Redis must have been reachable before money goes back, ms. */
  settleAfterReconnectMs?: number | undefined;
}

/** Whether the required number of replicas have all writes of Redis. */
export type Replicated = () => Promise<boolean>;

/**
 * `not_due` the rain is still open · `lost` Redis does not have it as a whole · `waiting` some claims are neither
 * credited nor discarded · `does_not_add_up` the audit found a difference, nothing was recycled · `settled` done, now
 * or before
 */
export type Settling =
  | { outcome: 'not_due' }
  | { outcome: 'lost'; reason: string }
  | { outcome: 'settled' }
  | { outcome: 'waiting'; pending: number }
  | { outcome: 'does_not_add_up'; problems: string[] };

/**
 * Takes a rain past its end as far as possible now: close, seal, drain, audit, recycle, roll over, mark it settled.
 * Every step is safe to repeat, also by several workers at once: a close is final, and recycling is unique in the
 * ledger.
 * @param ttlMs how long its keys live after the settlement @param replicated checked before money moves
 */
export async function settleRain(
  context: OperatorContext,
  rainId: string,
  live: LiveRain,
  ttlMs = SETTLED_TTL_MS,
  replicated: Replicated = async () => true,
): Promise<Settling> {
  const before = await readRain(context.redis, rainId, live);
  if (!before) return settleGone(context, rainId, live, ttlMs);
  if (!(await closeIfDue(context, before))) return { outcome: 'not_due' };
  if (before.held !== undefined) return { outcome: 'does_not_add_up', problems: [heldProblem(rainId, before.held)] };
  // Nobody lends any more. Packets on their way belong to a list, where the audit finds them.
  await endMoves(context.redis, rainId, live.shards);
  // From here on nothing can be added, so that the audit sees all of the money. A top-up that was booked but came too
  // late for Redis was won by nobody and goes back.
  if (await context.ledger.rain(rainId)) await context.ledger.seal(rainId);
  // Read first: a claim that is restored later is then detected before the rain is settled.
  const claimsSeen = await countClaims(context.redis, rainId, live);
  const book = await bookOf(context, rainId);
  const frozen = await readRain(context.redis, rainId, live);
  // A quick estimate that is never too high: a credited or discarded claim need not be in the log, and may be both.
  const pendingAtLeast = (frozen?.claims ?? 0) - book.credited.count - book.discardedClaims;
  if (pendingAtLeast > 0) return { outcome: 'waiting', pending: pendingAtLeast };

  const audit = await auditRain(context, rainId);
  if (!audit) return { outcome: 'does_not_add_up', problems: [`the ledger has no rain ${rainId}`] };
  const blocked = blockerOf(audit);
  if (blocked) return blocked;
  // From here on money moves: no win may be restored any more, and no failover may open the rain again.
  if (!(await freeze(context.redis, rainId, live, claimsSeen)) || !(await replicated()))
    return { outcome: 'waiting', pending: 0 };
  // Discarded claims went back already, by transfers of their own.
  const rest = backOf(audit) - audit.discarded.cents;
  const recycling = await context.ledger.recycle(rainId, rest, context.actor);
  if (recycling.outcome === 'differs') {
    return {
      outcome: 'does_not_add_up',
      problems: [`${formatMoney(recycling.recycledCents)} went back before, but ${formatMoney(rest)} is unclaimed`],
    };
  }
  await context.ledger.settle(rainId);
  // Before the rain is marked settled in Redis: if this is cut here, it is repeated.
  await rollOver(context, (await context.ledger.rain(rainId))!, rest);
  if (
    !(await settle(context.redis, rainId, live, { ttlMs, seen: claimsSeen, reveal: await revealOf(context, rainId) }))
  )
    throw new Error(`the rain ${rainId} is settled in the ledger, but one of its shards is not`);
  return { outcome: 'settled' };
}

/** Redis does not have all of its shards. */
async function settleGone(context: OperatorContext, rainId: string, live: LiveRain, ttlMs: number): Promise<Settling> {
  const { settledAt, recycledCents } = await bookOf(context, rainId);
  if (settledAt === undefined)
    return { outcome: 'lost', reason: await goneReason(context.redis, { id: rainId, shards: live.shards }) };
  await rollOver(context, (await context.ledger.rain(rainId))!, recycledCents);
  // A settlement was cut between the shards and not repeated before the first shard expired.
  await settle(context.redis, rainId, live, { ttlMs, reveal: await revealOf(context, rainId) });
  return { outcome: 'settled' };
}

/** Closes the rain if its end has come. */
async function closeIfDue(context: OperatorContext, { rainId, shards, state }: StoredRain): Promise<boolean> {
  if (state === 'closed' || state === 'settled') return true;
  // A failover, or somebody's hand, may have undone the close of a rain whose money may have moved since: nobody may
  // win in it any more.
  const rain = await context.ledger.rain(rainId);
  const wasOver =
    rain?.sealedAt !== undefined || rain?.settledAt !== undefined || (await wasClosedEarly(context, rainId));
  return close(context.redis, rainId, shards, wasOver ? 'early' : 'due');
}

/** The operator's close is final, and recorded when Redis has it. */
async function wasClosedEarly({ ledger }: OperatorContext, rainId: string): Promise<boolean> {
  return (await ledger.actions(rainId)).some(({ verb }) => verb === 'close');
}

/** The outcome of settling now; nothing is closed, sealed or moved. A rain that is still open may end differently. */
export async function settleDryRun(
  context: OperatorContext,
  rain: BookedRain,
  live: LiveRain,
): Promise<Settling | { outcome: 'foreseen'; backCents: Cents }> {
  if (rain.settledAt !== undefined) return { outcome: 'settled' };
  const snapshot = await readRain(context.redis, rain.id, live);
  if (!snapshot) return { outcome: 'lost', reason: await goneReason(context.redis, rain) };
  if (snapshot.held !== undefined)
    return { outcome: 'does_not_add_up', problems: [heldProblem(rain.id, snapshot.held)] };
  const isOver =
    snapshot.state === 'closed' ||
    snapshot.state === 'settled' ||
    rain.sealedAt !== undefined ||
    (await redisNow(context.redis)) >= snapshot.closesAt;
  if (!isOver) return { outcome: 'not_due' };
  const audit = await auditRain(context, rain.id);
  return audit
    ? (blockerOf(audit) ?? { outcome: 'foreseen', backCents: backOf(audit) })
    : { outcome: 'lost', reason: onlyInRedisReason(rain.id) };
}

/** One store is an older state than the other: what it lacks would be given away. */
function heldProblem(rainId: string, reason: string): string {
  return `Redis and the database do not agree about the rain (${reason}); see what differs with: rain restore check ${rainId}`;
}

/** Why no money may move yet; `undefined`: nothing blocks it. */
function blockerOf({ report, problems, equation: { pending }, toldTwice }: Audit): Settling | undefined {
  if (!report.balanced) return { outcome: 'does_not_add_up', problems };
  if (pending.count > 0) return { outcome: 'waiting', pending: pending.count };
  // The money would be balanced, but a user waits for a win: the operator has to discard that claim first.
  return toldTwice.length > 0 ? { outcome: 'does_not_add_up', problems: toldTwice.map(describeToldTwice) } : undefined;
}

/** All money that goes back at the settlement: discarded claims too, and spoiled packets, which nobody won. */
function backOf({ equation: { unclaimed, spoiled, recycled } }: Audit): Cents {
  return unclaimed.cents + spoiled.cents + recycled.cents;
}
