import { encode, resultFrame } from '../../protocol/codec.ts';
import type { SolutionMessage } from '../../protocol/messages.ts';
import { ERRORS } from '../../protocol/outcomes.ts';
import type { Door } from '../door.ts';
import { complain, send, type Session } from '../session.ts';

/** Answered with a ticket. What solves nothing counts as a message that could not be understood: nobody may try for long. */
export async function solution(door: Door, session: Session, message: SolutionMessage): Promise<void> {
  const { rainId } = message;
  try {
    const snapshot = await door.board.find(rainId);
    if (!snapshot) return send(session, resultFrame(rainId, undefined, '-8'), door.limits);
    if (await door.wicket?.solve(session, message, snapshot.closesAt)) return;
    complain(session, encode({ type: 'error', code: 'not_solved', reason: ERRORS.not_solved.meaning }), door.limits);
  } catch (error) {
    door.onFault(error);
    send(session, resultFrame(rainId, undefined, '-7'), door.limits);
  }
}
