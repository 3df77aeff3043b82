import { decode, encode, resultFrame } from '../protocol/codec.ts';
import type { Door } from './door.ts';
import { grab } from './handlers/grab.ts';
import { join } from './handlers/join.ts';
import { ping } from './handlers/ping.ts';
import { admit, end, send, type Session } from './session.ts';

/** One frame of one socket. Limits first, then exactly one handler. */
export function route(door: Door, session: Session, frame: string, now: number): void {
  if (!admit(session, now, door.limits)) return tooFast(door, session, frame);
  const decoded = decode(frame);
  if (!decoded.ok) return complain(door, session, encode(decoded.error));
  const { message } = decoded;
  switch (message.type) {
    case 'grab': return grab(door, session, message);
    case 'join': return join(door, session, message);
    case 'ping': return ping(door, session, message);
    default: return message satisfies never;
  }
}

/** Tells what was wrong; who keeps sending nonsense is closed. */
export function complain(door: Door, session: Session, frame: string): void {
  send(session, frame, door.limits);
  if (++session.errors >= door.limits.errorsPerSocketMax) end(session, 4429);
}

/** A grab is answered even then, since somebody waits for it; the rest is dropped without an answer. */
function tooFast(door: Door, session: Session, frame: string): void {
  const decoded = decode(frame);
  if (decoded.ok && decoded.message.type === 'grab') {
    door.tally.answers['-5']++;
    send(session, resultFrame(decoded.message.rainId, decoded.message.ref, '-5'), door.limits);
  }
}
