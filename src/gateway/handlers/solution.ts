import { encode, resultFrame } from '../../protocol/codec.ts';
import type { SolutionMessage } from '../../protocol/messages.ts';
import { ERRORS } from '../../protocol/outcomes.ts';
import type { HandlerContext } from './context.ts';
import { sendProtocolError, send, type Session } from '../sockets/session.ts';

/** Answers with a ticket. A wrong solution counts as a protocol error, which limits the number of guesses. */
export async function solution(context: HandlerContext, session: Session, message: SolutionMessage): Promise<void> {
  const { rainId } = message;
  try {
    const snapshot = await context.rainCache.find(rainId);
    if (!snapshot) return send(session, resultFrame(rainId, undefined, '-8'), context.limits);
    if (await context.challenges?.issueForSolution(session, message, snapshot.closesAt)) return;
    sendProtocolError(session, encode({ type: 'error', code: 'not_solved', reason: ERRORS.not_solved.meaning }), context.limits);
  } catch (error) {
    context.onFault(error);
    send(session, resultFrame(rainId, undefined, '-7'), context.limits);
  }
}
