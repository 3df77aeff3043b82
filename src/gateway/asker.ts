import type { GrabAnswer } from '../grab/engine.ts';
import { resultFrame } from '../protocol/codec.ts';
import type { Limits } from './limits.ts';
import { send, type Session } from './session.ts';
import type { Tally } from './tally.ts';

/** A grab under way: whom to answer, and which of his questions this is. */
export interface Asker {
  readonly userId: string;
  readonly session: Session;
  readonly ref: string | undefined;
}

export function answer({ session, ref }: Asker, rainId: string, given: GrabAnswer, { limits, tally }: { limits: Limits; tally: Tally }): void {
  tally.answers[given.code]++;
  send(session, resultFrame(rainId, ref, given.code, 'amount' in given ? given : undefined), limits);
}
