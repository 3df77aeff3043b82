import type { Door } from './door.ts';
import { end, send, type Session } from './session.ts';

/** Tells what was wrong; who keeps sending nonsense is closed. */
export function complain(door: Door, session: Session, frame: string): void {
  send(session, frame, door.limits);
  if (++session.errors >= door.limits.errorsPerSocketMax) end(session, 4429);
}
