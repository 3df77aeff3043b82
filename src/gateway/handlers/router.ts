import { decode, encode, resultFrame } from '../../protocol/codec.ts';
import type { HandlerContext } from './context.ts';
import { reconnectDelayMs, reconnectWindowMs } from '../sockets/drain.ts';
import { grab } from './grab.ts';
import { join } from './join.ts';
import { ping } from './ping.ts';
import { solution } from './solution.ts';
import { sendProtocolError, gather, send, type Session } from '../sockets/session.ts';

/** One frame of one socket. Limits first, then exactly one handler. */
export function route(context: HandlerContext, session: Session, frame: string): void {
  const { loopBudget } = context.overload;
  loopBudget.count();
  if (session.heardIn === loopBudget.number) gather(session);
  else session.heardIn = loopBudget.number;
  if (session.blocked) return refuseRemaining(context, session, frame, '-6');
  if (!context.rateLimiter.admit(session)) return refuseRemaining(context, session, frame, '-5');
  const decoded = decode(frame);
  if (!decoded.ok) return sendProtocolError(session, encode(decoded.error), context.limits);
  const { message } = decoded;
  switch (message.type) {
    case 'grab': return grab(context, session, message);
    case 'join': return join(context, session, message);
    case 'solution': return void solution(context, session, message);
    case 'ping': return ping(context, session, message);
    default: return message satisfies never;
  }
}

/**
 * Decides nothing: what was asked by one who is blocked (`-6`), too fast (`-5`), or of a gateway that is closing (`-7`). A
 * grab is answered even then, since somebody waits for it; the rest is dropped without an answer.
 */
export function refuseRemaining(context: HandlerContext, session: Session, frame: string, code: '-5' | '-6' | '-7'): void {
  const decoded = decode(frame);
  if (!decoded.ok || decoded.message.type !== 'grab') return;
  context.counters.answers[code]++;
  const retryInMs = retryAfter(context, session, code);
  send(session, resultFrame(decoded.message.rainId, decoded.message.ref, code, retryInMs === undefined ? undefined : { retryInMs }), context.limits);
}

function retryAfter({ rateLimiter, hub, limits }: HandlerContext, session: Session, code: '-5' | '-6' | '-7'): number | undefined {
  switch (code) {
    case '-5': return rateLimiter.retryInMs(session);
    case '-6': return undefined;
    // When there is a gateway again; `goodbye` is about to say the same.
    case '-7': return reconnectDelayMs(reconnectWindowMs(hub.size, limits), limits);
    default: return code satisfies never;
  }
}
