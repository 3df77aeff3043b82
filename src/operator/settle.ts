import { SETTLED_TTL_MS } from '../store/keys.ts';
import { close, freeze, settle } from '../store/transitions.ts';
import { countClaims, readRain, type LiveRain } from '../store/rains.ts';
import { auditRain, type Audit } from './audit.ts';
import { tellPromise } from './audit/findings.ts';
import { rollOver } from './campaign/rollOver.ts';
import { revealOf } from './commitment.ts';
import { bookOf, type OperatorContext } from './context.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import type { SinceReconnect } from '../platform/redis/reconnectTimer.ts';

/**
 * After Redis was away the gateways put back the wins that they told and Redis lost; a rain settled before would have given that
 * money away. They begin as soon as they are connected again, which takes them a second or two. Until then nothing is settled.
 */
export interface AfterReconnect {
  /** How long Redis has been back after it was away, ms, as far as that is known here. Absent: it never was. */
  sinceReturn?: SinceReconnect | undefined;
  /** How long that is to be before money goes back, ms. */
  settleAfterReconnectMs?: number | undefined;
}

/** Whether as many replicas as were asked for have all that Redis has written. */
export type Replicated = () => Promise<boolean>;

/**
 * `not_due` the rain goes on · `lost` Redis has lost it · `waiting` some claims are neither in the book yet nor discarded ·
 * `does_not_add_up` the audit found a difference, nothing was recycled · `settled` done, now or before
 */
export type Settling = { outcome: 'not_due' } | { outcome: 'lost' } | { outcome: 'settled' } | { outcome: 'waiting'; pending: number } | { outcome: 'does_not_add_up'; problems: string[] };

/**
 * Carries a rain past its end, as far as it can go now: close, seal, drain, audit, recycle the unclaimed (and roll it over,
 * where a campaign says so), mark it settled. Every
 * step is safe to repeat and several workers may do it at once: closing is a fact, recycling is unique in the book.
 *
 * @param ttlMs how long its keys live on when it is settled
 * @param replicated asked before money moves
 */
export async function settleRain(context: OperatorContext, rainId: string, live: LiveRain, ttlMs = SETTLED_TTL_MS, replicated: Replicated = async () => true): Promise<Settling> {
  const before = await readRain(context.redis, rainId, live);
  if (!before) {
    const { settledAt, recycledCents } = await bookOf(context, rainId);
    if (settledAt === undefined) return { outcome: 'lost' };
    await rollOver(context, (await context.ledger.rain(rainId))!, recycledCents);
    // Cut between the shards, and not repeated before the first of them had expired.
    await settle(context.redis, rainId, live, { ttlMs, reveal: await revealOf(context, rainId) });
    return { outcome: 'settled' };
  }
  if (before.state !== 'closed' && before.state !== 'settled') {
    // A failover may have undone the close of a rain whose money may have moved since: nobody is to win in it any more.
    const rain = await context.ledger.rain(rainId);
    const isOver = rain?.sealedAt !== undefined || rain?.settledAt !== undefined;
    if (!await close(context.redis, rainId, live.shards, isOver ? 'early' : 'due')) return { outcome: 'not_due' };
  }
  // From here on nothing is added to it, so that the audit sees all of its money; what was added before and came too late for Redis
  // was won by nobody and goes back.
  if (await context.ledger.rain(rainId)) await context.ledger.seal(rainId);
  // Read first: a claim that is put back from here on is found not to be among these before the rain is settled.
  const seen = await countClaims(context.redis, rainId, live);
  const book = await bookOf(context, rainId);
  const frozen = await readRain(context.redis, rainId, live);
  // A quick look that is never too high: what is credited or discarded need not be in the log, and may be both.
  const atMost = (frozen?.claims ?? 0) - book.credited.count - book.discardedClaims;
  if (atMost > 0) return { outcome: 'waiting', pending: atMost };

  const audit = await auditRain(context, rainId);
  if (!audit) return { outcome: 'does_not_add_up', problems: [`the book does not know the rain ${rainId}`] };
  const hindered = hindrance(audit);
  if (hindered) return hindered;
  // From here on money moves: nothing may be put back any more, and no failover may open the rain again.
  if (!await freeze(context.redis, rainId, live, seen) || !await replicated()) return { outcome: 'waiting', pending: 0 };
  // What was discarded is back already, by transfers of its own.
  const rest = backOf(audit) - audit.discarded.cents;
  const recycling = await context.ledger.recycle(rainId, rest, context.actor);
  if (recycling.outcome === 'differs') {
    return { outcome: 'does_not_add_up', problems: [`${formatMoney(recycling.recycledCents)} went back before, ${formatMoney(rest)} was won by nobody`] };
  }
  await context.ledger.settle(rainId);
  // While the rain is still looked after: cut here, it is done again.
  await rollOver(context, (await context.ledger.rain(rainId))!, rest);
  if (!await settle(context.redis, rainId, live, { ttlMs, seen, reveal: await revealOf(context, rainId) })) throw new Error(`the book of ${rainId} is closed, and a shard of it is not`);
  return { outcome: 'settled' };
}

/** Why no money may move yet; `undefined`: nothing is in the way. */
export function hindrance({ report, problems, equation: { pending }, toldTwice }: Audit): Settling | undefined {
  if (!report.balanced) return { outcome: 'does_not_add_up', problems };
  if (pending.count > 0) return { outcome: 'waiting', pending: pending.count };
  // The money would add up, but a user waits for his: the operator has to lay it to rest first.
  return toldTwice.length > 0 ? { outcome: 'does_not_add_up', problems: toldTwice.map(tellPromise) } : undefined;
}

/** All that has gone back of a rain when it is settled, discarded claims included: what was set aside as spoiled was won by nobody either. */
export function backOf({ equation: { unclaimed, spoiled, recycled } }: Audit): Cents {
  return unclaimed.cents + spoiled.cents + recycled.cents;
}
