import type { GrabAnswer } from '../grab/engine.ts';
import { resultFrame } from '../protocol/codec.ts';
import type { OutcomeCode } from '../protocol/outcomes.ts';
import { frameOf, type Frame } from './frame.ts';
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
  if ('amount' in given) send(session, resultFrame(rainId, ref, given.code, given), limits);
  else send(session, ref === undefined ? refusal(rainId, given.code) : resultFrame(rainId, ref, given.code), limits);
}

/** Rains whose refusals are kept at most [R10]. */
const KEPT_MAX = 1_000;
const kept = new Map<OutcomeCode, Map<string, Frame>>();

/** To most who ask one says the same: it is said in one frame. */
function refusal(rainId: string, code: OutcomeCode): Frame {
  let frames = kept.get(code);
  if (!frames) kept.set(code, frames = new Map());
  let frame = frames.get(rainId);
  if (!frame) {
    if (frames.size >= KEPT_MAX) frames.clear();
    frames.set(rainId, frame = frameOf(resultFrame(rainId, undefined, code)));
  }
  return frame;
}
