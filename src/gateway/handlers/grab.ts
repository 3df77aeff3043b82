import { BUSY, NO_SUCH_RAIN } from '../../grab/engine.ts';
import { resultFrame } from '../../protocol/codec.ts';
import type { GrabMessage } from '../../protocol/messages.ts';
import { answer, type PendingGrab } from './pendingGrab.ts';
import type { HandlerContext } from './context.ts';
import type { CachedRain } from '../rains/rainCache.ts';
import { judgeByTerms } from '../rains/terms.ts';
import { send, type Session } from '../sockets/session.ts';

export function grab(context: HandlerContext, session: Session, message: GrabMessage): void {
  const { rainId, ref } = message;
  const { loopBudget } = context.overload;
  const { openGrab } = session;
  if (openGrab !== undefined && openGrab.loopBudget === loopBudget.number && openGrab.rainId === rainId) {
    if (!turnedBack(context, session, message, context.rainCache.reading(rainId))) (openGrab.also ??= []).push(ref);
    return;
  }
  const pending: PendingGrab = { userId: session.userId, session, rainId, ref, loopBudget: loopBudget.number, also: undefined };
  const localAnswers = context.localAnswers.answer(rainId, session.userId);
  if (localAnswers) return answer(pending, rainId, localAnswers, context);
  const rain = context.rainCache.reading(rainId);
  if (rain === undefined) return void findAndGrab(context, message, pending);
  if (!turnedBack(context, session, message, rain)) decide(context, rainId, rain.shards, pending);
}

/** By the terms of the rain, or by a challenge. */
function turnedBack({ challenges, limits, counters, overload: { admission } }: HandlerContext, session: Session, message: GrabMessage, rain: CachedRain | undefined): boolean {
  if (!rain) return false;
  const code = judgeByTerms(rain, session);
  const refused = code === undefined ? challenges?.refuses(session, message, rain) : code === '-7' ? { code, retryInMs: admission.retryInMs() } : { code };
  if (!refused) return false;
  counters.answers[refused.code]++;
  const retryInMs = 'retryInMs' in refused ? refused.retryInMs : undefined;
  send(session, resultFrame(message.rainId, message.ref, refused.code, retryInMs === undefined ? undefined : { retryInMs }), limits);
  return true;
}

function decide(context: HandlerContext, rainId: string, shards: number, pending: PendingGrab): void {
  const { batcher, fairStart, overload: { admission, killSwitches, loopBudget } } = context;
  if (killSwitches.off.grabs) return putOff(context, rainId, pending, 'switch_grabs');
  // To gather costs next to nothing, so that at an opening nobody is refused for having come with all others.
  if (fairStart.near > 0 && fairStart.take(rainId, shards, pending)) return;
  if (loopBudget.overdue) return putOff(context, rainId, pending, 'turn');
  if (!admission.admits(batcher.asking)) return putOff(context, rainId, pending, 'grabs_pending');
  pending.session.openGrab = pending;
  batcher.add(rainId, shards, pending);
}

function putOff(context: HandlerContext, rainId: string, pending: PendingGrab, limit: 'switch_grabs' | 'turn' | 'grabs_pending'): void {
  context.counters.refused[limit]++;
  answer(pending, rainId, BUSY, context);
}

/** The board may not have heard of a rain created a moment ago. Which shard is a user's follows from how many there are: never guessed [R1]. */
async function findAndGrab(context: HandlerContext, message: GrabMessage, pending: PendingGrab): Promise<void> {
  const { rainId } = message;
  try {
    await context.rainCache.find(rainId);
  } catch (error) {
    context.onFault(error);
    return answer(pending, rainId, BUSY, context);
  }
  const rain = context.rainCache.reading(rainId);
  if (rain === undefined) return answer(pending, rainId, NO_SUCH_RAIN, context);
  if (!turnedBack(context, pending.session, message, rain)) decide(context, rainId, rain.shards, pending);
}
