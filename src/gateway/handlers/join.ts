import { shardKeys, shardOf } from '../../store/keys.ts';
import { encode, resultFrame } from '../../protocol/codec.ts';
import type { JoinMessage } from '../../protocol/messages.ts';
import { parseClaim } from '../../rain/claim.ts';
import { isFresh } from '../rains/snapshotCache.ts';
import { mayEnter } from '../../rain/audience.ts';
import type { HandlerContext } from './context.ts';
import { NO_WINNERS_BEFORE_MS } from './limits.ts';
import { refuseToWatch, watchesTooMany } from './watchLimit.ts';
import { send, type Session } from '../sockets/session.ts';

/**
 * Answers with the rain's snapshot; then with a ticket or a challenge, if required; then with the user's own result and
 * whether it was credited, which the user may have missed while disconnected. For an unknown rain the answer is that of
 * a grab.
 */
export function join(context: HandlerContext, session: Session, { rainId, ticket }: JoinMessage): void {
  const { overload, counters, limits } = context;
  if (overload.killSwitches.off.joins) {
    // A join costs Redis more than a grab.
    counters.refused.switch_joins++;
    return send(
      session,
      resultFrame(rainId, undefined, '-7', { retryInMs: Math.ceil(limits.overloadMs * (1 + Math.random())) }),
      limits,
    );
  }
  if (watchesTooMany(context, session, rainId)) return refuseToWatch(context, session);
  void answerJoin(context, session, rainId, ticket);
}

function busy(context: HandlerContext, session: Session, rainId: string): void {
  send(
    session,
    resultFrame(rainId, undefined, '-7', { retryInMs: context.overload.admission.retryInMs() }),
    context.limits,
  );
}

async function answerJoin(
  context: HandlerContext,
  session: Session,
  rainId: string,
  ticket: string | undefined,
): Promise<void> {
  try {
    const snapshot = await context.rainCache.find(rainId);
    const rain = context.rainCache.reading(rainId);
    if (!snapshot || !rain || !mayEnter(session.audience, 'rains', rainId, rain.terms))
      return send(session, resultFrame(rainId, undefined, '-8'), context.limits);
    // Check again: several joins may have passed the first check before any of them was counted.
    if (watchesTooMany(context, session, rainId)) return refuseToWatch(context, session);
    // Watch before reading the result: a credit event in between is then sent, not lost.
    if (session.socket.readyState === session.socket.OPEN) context.hub.watch(session, rainId);
    send(session, encode(snapshot), context.limits);
    const issued = await context.challenges.issueAfterJoin(
      session,
      { name: rainId, address: session.address.name, shown: ticket },
      snapshot,
    );
    if (issued)
      send(session, issued === 'later' ? resultFrame(rainId, undefined, '-7') : encode(issued), context.limits);
    await sendOwnResult(context, session, rainId, rain.shards);
  } catch (error) {
    context.onFault(error);
    busy(context, session, rainId);
  }
}

async function sendOwnResult(context: HandlerContext, session: Session, rainId: string, shards: number): Promise<void> {
  if (cannotHaveWon(context, rainId)) return;
  const { rainCache, gatewayDurability } = context;
  const shard = shardOf(session.userId, shards);
  const keys = shardKeys(rainId, shard);
  // Asked before the entry is read: a win that is told meanwhile has not been lost.
  const hasTold = gatewayDurability.hasTold(rainId, session.userId);
  const claimJson = await context.redis.hget(keys.claimed, session.userId);
  if (claimJson === null) {
    // A win that was told, and all that a lost shard had, may be put back.
    if (hasTold || rainCache.isLost(rainId)) busy(context, session, rainId);
    return;
  }
  const parsed = parseClaim(claimJson);
  const { userId } = session;
  // Another user's win under this name is none of this user.
  if (!parsed.ok || parsed.claim.userId !== userId) return busy(context, session, rainId);
  const held = {
    userId,
    redPacketId: parsed.claim.redPacketId,
    amount: parsed.claim.amount,
    mac: parsed.claim.mac ?? '',
  };
  if (!context.forgeries.isGenuine(rainId, held))
    return (await context.forgeries.spoil(rainId, shard, [held])) ? undefined : busy(context, session, rainId);
  const [confirmed] = await context.gatewayDurability.confirm(rainId, shard, [held]);
  if (!confirmed) return busy(context, session, rainId);
  const { redPacketId, amount } = context.gatewayDurability.remember(rainId, shard, userId, { code: '1', ...held });
  send(
    session,
    resultFrame(rainId, undefined, '1', {
      redPacketId,
      amount,
      receipt: context.signer.receipt({ rainId, redPacketId, amount, userId }),
    }),
    context.limits,
  );
  const marks = await context.redis.smismember(
    keys.credited,
    ...context.signer.creditMarks({ rainId, redPacketId, amount, userId }),
  );
  if (marks.includes(1)) {
    send(session, encode({ type: 'credited', rainId, redPacketId, amount }), context.limits);
  } else context.uncredited.watch({ rainId, shard, userId, redPacketId, amount });
}

/** The rain has not opened, and had not opened before an earlier start was moved. */
function cannotHaveWon({ rainCache }: HandlerContext, rainId: string): boolean {
  const rain = rainCache.reading(rainId);
  return (
    rain !== undefined &&
    !rain.lostShards &&
    rain.claims === 0 &&
    rainCache.now() < rain.opensAt - NO_WINNERS_BEFORE_MS &&
    isFresh(rain)
  );
}
