import { shardKeys, shardOf } from '../../store/keys.ts';
import { encode, resultFrame } from '../../protocol/codec.ts';
import type { JoinMessage } from '../../protocol/messages.ts';
import { ERRORS } from '../../protocol/outcomes.ts';
import { parseClaim } from '../../rain/claim.ts';
import { isFresh } from '../rains/rainCache.ts';
import type { HandlerContext } from './context.ts';
import { send, type Session } from '../sockets/session.ts';

/**
 * Answers with the rain's snapshot and with whatever the user missed while he was away: his own result, and whether it
 * has been credited; and with a ticket, or a challenge before it, where one is asked for. A rain that does not exist is answered as a grab of it would be.
 */
export function join(context: HandlerContext, session: Session, { rainId, ticket }: JoinMessage): void {
  if (context.overload.killSwitches.off.joins) return putOff(context, session, rainId);
  if (watchesEnough(context, session, rainId)) return refuse(context, session);
  void tell(context, session, rainId, ticket);
}

function watchesEnough({ limits }: HandlerContext, { rains }: Session, rainId: string): boolean {
  return rains.size >= limits.joinsPerSocketMax && !rains.has(rainId);
}

function refuse({ limits, counters }: HandlerContext, session: Session): void {
  counters.refused.joins++;
  send(session, encode({ type: 'error', code: 'not_allowed', reason: ERRORS.not_allowed.meaning }), limits);
}

/** Joins are given up for now: they cost Redis more than grabs do. */
function putOff({ limits, counters }: HandlerContext, session: Session, rainId: string): void {
  counters.refused.switch_joins++;
  send(session, resultFrame(rainId, undefined, '-7', { retryInMs: Math.ceil(limits.overloadMs * (1 + Math.random())) }), limits);
}

function busy(context: HandlerContext, session: Session, rainId: string): void {
  send(session, resultFrame(rainId, undefined, '-7', { retryInMs: context.overload.admission.retryInMs() }), context.limits);
}

async function tell(context: HandlerContext, session: Session, rainId: string, ticket: string | undefined): Promise<void> {
  try {
    const snapshot = await context.rainCache.find(rainId);
    const shards = context.rainCache.shardsOf(rainId);
    if (!snapshot || shards === undefined) return send(session, resultFrame(rainId, undefined, '-8'), context.limits);
    // Many joins may have been let in while none of them was counted yet.
    if (watchesEnough(context, session, rainId)) return refuse(context, session);
    // Watch before reading: a credit that arrives in between is then pushed rather than lost between the two.
    if (session.socket.readyState === session.socket.OPEN) context.hub.watch(session, rainId);
    send(session, encode(snapshot), context.limits);
    if (await context.challenges?.greet(session, snapshot, ticket) === false) send(session, resultFrame(rainId, undefined, '-7'), context.limits);
    await tellOwnResult(context, session, rainId, shards);
  } catch (error) {
    context.onFault(error);
    busy(context, session, rainId);
  }
}

async function tellOwnResult(context: HandlerContext, session: Session, rainId: string, shards: number): Promise<void> {
  if (nobodyHasWon(context, rainId)) return;
  const shard = shardOf(session.userId, shards);
  const keys = shardKeys(rainId, shard);
  const admission = await context.redis.hget(keys.claimed, session.userId);
  if (admission === null) return;
  const parsed = parseClaim(admission);
  if (!parsed.ok) return busy(context, session, rainId);
  const { redPacketId, amount } = parsed.claim;
  const [confirmed] = await context.gatewayDurability.confirm(rainId, shard, [{ userId: session.userId, redPacketId }]);
  if (!confirmed) return busy(context, session, rainId);
  context.gatewayDurability.remember(rainId, shard, session.userId, { redPacketId, amount });
  send(session, resultFrame(rainId, undefined, '1', { redPacketId, amount }), context.limits);
  if (await context.redis.sismember(keys.credited, session.userId)) {
    send(session, encode({ type: 'credited', rainId, redPacketId, amount }), context.limits);
  }
}

/** So long before the opening, ms, a crowd that waits for the start asks Redis nothing: while the reading is fresh nobody can have won. */
const AHEAD_MS = 1_000;

/** It has not begun, and had not begun earlier when its start was moved. */
function nobodyHasWon({ rainCache }: HandlerContext, rainId: string): boolean {
  const rain = rainCache.reading(rainId);
  return rain !== undefined && rain.claims === 0 && rainCache.now() < rain.opensAt - AHEAD_MS && isFresh(rain);
}
