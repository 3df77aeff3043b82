import { decode, encode, resultFrame } from '../protocol/codec.ts';
import type { Door } from './door.ts';
import { comebackInMs, comebackWindowMs } from './farewell.ts';
import { grab } from './handlers/grab.ts';
import { join } from './handlers/join.ts';
import { ping } from './handlers/ping.ts';
import { solution } from './handlers/solution.ts';
import { complain, gather, send, type Session } from './session.ts';

/** One frame of one socket. Limits first, then exactly one handler. */
export function route(door: Door, session: Session, frame: string): void {
  const { turn } = door.relief;
  turn.count();
  if (session.heardIn === turn.number) gather(session);
  else session.heardIn = turn.number;
  if (session.blocked) return turnAway(door, session, frame, '-6');
  if (!door.pace.admit(session)) return turnAway(door, session, frame, '-5');
  const decoded = decode(frame);
  if (!decoded.ok) return complain(session, encode(decoded.error), door.limits);
  const { message } = decoded;
  switch (message.type) {
    case 'grab': return grab(door, session, message);
    case 'join': return join(door, session, message);
    case 'solution': return void solution(door, session, message);
    case 'ping': return ping(door, session, message);
    default: return message satisfies never;
  }
}

/**
 * Decides nothing: what was asked by one who is blocked (`-6`), too fast (`-5`), or of a gateway that is closing (`-7`). A
 * grab is answered even then, since somebody waits for it; the rest is dropped without an answer.
 */
export function turnAway(door: Door, session: Session, frame: string, code: '-5' | '-6' | '-7'): void {
  const decoded = decode(frame);
  if (!decoded.ok || decoded.message.type !== 'grab') return;
  door.tally.answers[code]++;
  const retryInMs = retryAfter(door, session, code);
  send(session, resultFrame(decoded.message.rainId, decoded.message.ref, code, retryInMs === undefined ? undefined : { retryInMs }), door.limits);
}

function retryAfter({ pace, audience, limits }: Door, session: Session, code: '-5' | '-6' | '-7'): number | undefined {
  switch (code) {
    case '-5': return pace.retryInMs(session);
    case '-6': return undefined;
    // When there is a gateway again; `goodbye` is about to say the same.
    case '-7': return comebackInMs(comebackWindowMs(audience.size, limits), limits);
    default: return code satisfies never;
  }
}
