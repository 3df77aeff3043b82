import { BUSY, NO_SUCH_RAIN } from '../../grab/engine.ts';
import { resultFrame } from '../../protocol/codec.ts';
import type { GrabMessage } from '../../protocol/messages.ts';
import { answer, type PendingGrab } from './pendingGrab.ts';
import type { HandlerContext } from './context.ts';
import type { CachedRain } from '../rains/rainCache.ts';
import { checkTerms } from '../rains/terms.ts';
import { mayTake } from '../rains/visibility.ts';
import { send, type Session } from '../sockets/session.ts';

/**
 * A grab, before its rain is known: the same question of this loop turn, an answer that is known here, the rain itself.
 */
export function grab(context: HandlerContext, session: Session, message: GrabMessage): void {
  const { rainId, ref } = message;
  const { loopBudget } = context.overload;
  const { openGrab } = session;
  if (openGrab !== undefined && openGrab.turn === loopBudget.turn && openGrab.rainId === rainId) {
    if (!isRefused(context, session, message, context.rainCache.reading(rainId))) (openGrab.also ??= []).push(ref);
    return;
  }
  const rain = context.rainCache.reading(rainId);
  const pending: PendingGrab = { userId: session.userId, session, rainId, ref, turn: loopBudget.turn, also: undefined };
  if (rain && !mayTake(session.audience, 'rains', rainId, rain.terms))
    return answer(pending, rainId, NO_SUCH_RAIN, context);
  const known = context.localAnswers.answer(rainId, session.userId);
  if (known) return answer(pending, rainId, known, context);
  if (rain === undefined) return void findAndGrab(context, message, pending);
  grabFrom(rain, context, message, pending);
}

/**
 * Everything that is asked before Redis is, in this order. The first that answers the grab is the last that is asked.
 */
function grabFrom(rain: CachedRain, context: HandlerContext, message: GrabMessage, pending: PendingGrab): void {
  const {
    batcher,
    fairStart,
    sales,
    overload: { admission, killSwitches, loopBudget },
  } = context;
  if (isRefused(context, pending.session, message, rain)) return;
  if (killSwitches.off.grabs) return answerBusy(context, pending, 'switch_grabs');
  // Gathering costs next to nothing, so a crowd that comes at the opening is not refused for its size.
  if (fairStart.near > 0 && fairStart.take(pending.rainId, rain.shards, pending)) return;
  if (loopBudget.overdue) return answerBusy(context, pending, 'turn');
  if (!admission.admits(batcher.asking + sales.batcher.asking)) return answerBusy(context, pending, 'grabs_pending');
  pending.session.openGrab = pending;
  batcher.add(pending.rainId, rain.shards, pending);
}

/**
 * By the terms of the rain, since another key has signed its packets, or for want of a ticket.
 * @returns true: the refusal has been sent
 */
function isRefused(
  { challenges, signer, limits, counters, overload: { admission } }: HandlerContext,
  session: Session,
  message: GrabMessage,
  rain: CachedRain | undefined,
): boolean {
  const code =
    rain &&
    (checkTerms(rain, session) ??
      (signer.under(rain.signedBy) ? undefined : '-7') ??
      (challenges.refuses(session, message.rainId, message.ticket, rain) ? '-9' : undefined));
  if (code === undefined) return false;
  counters.answers[code]++;
  send(
    session,
    resultFrame(message.rainId, message.ref, code, code === '-7' ? { retryInMs: admission.retryInMs() } : undefined),
    limits,
  );
  return true;
}

function answerBusy(
  { counters, limits, overload: { admission, unread } }: HandlerContext,
  { session, rainId, ref }: PendingGrab,
  limit: 'switch_grabs' | 'turn' | 'grabs_pending',
): void {
  const retryInMs = admission.retryInMs();
  counters.refused[limit]++;
  counters.answers['-7']++;
  send(session, resultFrame(rainId, ref, '-7', { retryInMs }), limits);
  unread.refused(session, retryInMs);
}

/**
 * The rain cache may not have a rain created a moment ago. A user's shard depends on the number of shards, so it is
 * never guessed [R1].
 */
async function findAndGrab(context: HandlerContext, message: GrabMessage, pending: PendingGrab): Promise<void> {
  const { rainId } = pending;
  try {
    await context.rainCache.find(rainId);
  } catch (error) {
    context.onFault(error);
    return answer(pending, rainId, BUSY, context);
  }
  const rain = context.rainCache.reading(rainId);
  if (rain === undefined || !mayTake(pending.session.audience, 'rains', rainId, rain.terms))
    return answer(pending, rainId, NO_SUCH_RAIN, context);
  grabFrom(rain, context, message, pending);
}
