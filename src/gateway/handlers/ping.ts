import { encode } from '../../protocol/codec.ts';
import type { PingMessage } from '../../protocol/messages.ts';
import type { Door } from '../door.ts';
import { send, type Session } from '../session.ts';

/** Clock sync: the client's own time comes back beside the server's. */
export function ping(door: Door, session: Session, { t }: PingMessage): void {
  send(session, encode({ type: 'pong', t, serverTime: door.board.now() }), door.limits);
}
