import { decode, encode, orderFrame, resultFrame } from '../../protocol/codec.ts';
import type { HandlerContext } from './context.ts';
import { reconnectDelayMs, reconnectWindowMs } from '../sockets/drain.ts';
import { grab } from './grab.ts';
import { join } from './join.ts';
import { ping } from './ping.ts';
import { receipt } from './receipt.ts';
import { solution } from './solution.ts';
import { buy } from '../sales/buy.ts';
import { cancel } from '../sales/cancel.ts';
import { replyOf } from '../sales/socketReply.ts';
import { visit } from '../sales/visit.ts';
import { sendProtocolError, gather, send, type Session } from '../sockets/session.ts';

/** Handles one frame of one socket: limits first, then exactly one handler. */
export function route(context: HandlerContext, session: Session, frame: string): void {
  const { loopBudget } = context.overload;
  loopBudget.count();
  if (session.lastTurn === loopBudget.turn) gather(session);
  else session.lastTurn = loopBudget.turn;
  if (session.blocked) return refuseRemaining(context, session, frame, '-6');
  if (!context.rateLimiter.admit(session)) return refuseRemaining(context, session, frame, '-5');
  const decoded = decode(frame);
  if (!decoded.ok) return sendProtocolError(session, encode(decoded.error), context.limits);
  const { message } = decoded;
  switch (message.type) {
    case 'grab':
      return grab(context, session, message);
    case 'buy':
      return buy(context, session, message, replyOf(session, context.limits, context.overload.unread));
    case 'join':
      return join(context, session, message);
    case 'visit':
      return visit(context, session, message);
    case 'cancel':
      return cancel(context, session, message);
    case 'solution':
      return void solution(context, session, message);
    case 'receipt':
      return receipt(context, session, message);
    case 'ping':
      return ping(context, session, message);
    default:
      return message satisfies never;
  }
}

/**
 * Refuses a grab or a purchase of a sender who is blocked (`-6`) or too fast (`-5`), or since the gateway closes
 * (`-7`). Other messages are dropped.
 */
export function refuseRemaining(
  context: HandlerContext,
  session: Session,
  frame: string,
  code: '-5' | '-6' | '-7',
): void {
  const decoded = decode(frame);
  if (!decoded.ok) return;
  const { message } = decoded;
  if (message.type === 'grab') {
    context.counters.answers[code]++;
    send(session, resultFrame(message.rainId, message.ref, code, retryAfter(context, session, code)), context.limits);
  } else if (message.type === 'buy') {
    context.counters.purchases[code]++;
    send(session, orderFrame(message.saleId, message.ref, code, retryAfter(context, session, code)), context.limits);
  }
}

function retryAfter(
  { rateLimiter, hub, limits }: HandlerContext,
  session: Session,
  code: '-5' | '-6' | '-7',
): { retryInMs: number } | undefined {
  if (code === '-6') return undefined;
  // A closing gateway is expected to be available again when `goodbye` says, too.
  return {
    retryInMs:
      code === '-5' ? rateLimiter.retryInMs(session) : reconnectDelayMs(reconnectWindowMs(hub.size, limits), limits),
  };
}
