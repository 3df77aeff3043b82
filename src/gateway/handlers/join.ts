import { shardKeys, shardOf } from '../../grab/keys.ts';
import { encode, resultFrame } from '../../protocol/codec.ts';
import type { JoinMessage } from '../../protocol/messages.ts';
import { ERRORS } from '../../protocol/outcomes.ts';
import { parseClaim } from '../../rain/claim.ts';
import { isFresh } from '../rains/board.ts';
import type { Door } from '../door.ts';
import { send, type Session } from '../session.ts';

/**
 * Answers with the rain's snapshot and with whatever the user missed while he was away: his own result, and whether it
 * has been credited; and with a ticket, or a puzzle before it, where one is asked for. A rain that does not exist is answered as a grab of it would be.
 */
export function join(door: Door, session: Session, { rainId, ticket }: JoinMessage): void {
  if (door.relief.switchboard.off.joins) return putOff(door, session, rainId);
  if (watchesEnough(door, session, rainId)) return refuse(door, session);
  void tell(door, session, rainId, ticket);
}

function watchesEnough({ limits }: Door, { rains }: Session, rainId: string): boolean {
  return rains.size >= limits.joinsPerSocketMax && !rains.has(rainId);
}

function refuse({ limits, tally }: Door, session: Session): void {
  tally.refused.joins++;
  send(session, encode({ type: 'error', code: 'not_allowed', reason: ERRORS.not_allowed.meaning }), limits);
}

/** Joins are given up for now: they cost Redis more than grabs do. */
function putOff({ limits, tally }: Door, session: Session, rainId: string): void {
  tally.refused.switch_joins++;
  send(session, resultFrame(rainId, undefined, '-7', { retryInMs: Math.ceil(limits.reliefMs * (1 + Math.random())) }), limits);
}

function busy(door: Door, session: Session, rainId: string): void {
  send(session, resultFrame(rainId, undefined, '-7', { retryInMs: door.relief.admission.retryInMs() }), door.limits);
}

async function tell(door: Door, session: Session, rainId: string, ticket: string | undefined): Promise<void> {
  try {
    const snapshot = await door.board.find(rainId);
    const shards = door.board.shardsOf(rainId);
    if (!snapshot || shards === undefined) return send(session, resultFrame(rainId, undefined, '-8'), door.limits);
    // Many joins may have been let in while none of them was counted yet.
    if (watchesEnough(door, session, rainId)) return refuse(door, session);
    // Watch before reading: a credit that arrives in between is then pushed rather than lost between the two.
    if (session.socket.readyState === session.socket.OPEN) door.audience.watch(session, rainId);
    send(session, encode(snapshot), door.limits);
    if (await door.wicket?.greet(session, snapshot, ticket) === false) send(session, resultFrame(rainId, undefined, '-7'), door.limits);
    await tellOwnResult(door, session, rainId, shards);
  } catch (error) {
    door.onFault(error);
    busy(door, session, rainId);
  }
}

async function tellOwnResult(door: Door, session: Session, rainId: string, shards: number): Promise<void> {
  if (nobodyHasWon(door, rainId)) return;
  const shard = shardOf(session.userId, shards);
  const keys = shardKeys(rainId, shard);
  const entry = await door.redis.hget(keys.claimed, session.userId);
  if (entry === null) return;
  const parsed = parseClaim(entry);
  if (!parsed.ok) return busy(door, session, rainId);
  const { redPacketId, amount } = parsed.claim;
  const [confirmed] = await door.keeping.confirm(rainId, shard, [{ userId: session.userId, redPacketId }]);
  if (!confirmed) return busy(door, session, rainId);
  door.keeping.remember(rainId, shard, session.userId, { redPacketId, amount });
  send(session, resultFrame(rainId, undefined, '1', { redPacketId, amount }), door.limits);
  if (await door.redis.sismember(keys.credited, session.userId)) {
    send(session, encode({ type: 'credited', rainId, redPacketId, amount }), door.limits);
  }
}

/** So long before the opening, ms, a crowd that waits for the start asks Redis nothing: while the reading is fresh nobody can have won. */
const AHEAD_MS = 1_000;

/** It has not begun, and had not begun earlier when its start was moved. */
function nobodyHasWon({ board }: Door, rainId: string): boolean {
  const rain = board.reading(rainId);
  return rain !== undefined && rain.claims === 0 && board.now() < rain.opensAt - AHEAD_MS && isFresh(rain);
}
