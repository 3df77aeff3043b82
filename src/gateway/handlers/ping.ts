import { encode } from '../../protocol/codec.ts';
import type { PingMessage } from '../../protocol/messages.ts';
import type { HandlerContext } from './context.ts';
import { send, type Session } from '../sockets/session.ts';

/** Clock synchronisation: the answer holds the client's value and the server's time. */
export function ping(context: HandlerContext, session: Session, { t }: PingMessage): void {
  send(session, encode({ type: 'pong', t, serverTime: context.rainCache.now() }), context.limits);
}
