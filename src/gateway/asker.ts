import type { GrabAnswer } from '../grab/engine.ts';
import { resultFrame } from '../protocol/codec.ts';
import type { OutcomeCode } from '../protocol/outcomes.ts';
import type { Admission } from './admission.ts';
import { frameOf, type Frame } from './frame.ts';
import type { Limits } from './limits.ts';
import { gather, send, type Asking, type Session } from './session.ts';
import type { Tally } from './tally.ts';

/** A grab under way: whom to answer, and which of his questions this is. */
export interface Asker extends Asking {
  readonly userId: string;
  readonly session: Session;
  readonly ref: string | undefined;
}

interface Answering {
  limits: Limits;
  tally: Tally;
  relief: { admission: Pick<Admission, 'retryInMs'> };
}

/** @param retryInMs for "busy", when it has been decided already */
export function answer(asker: Asker, rainId: string, given: GrabAnswer, door: Answering, retryInMs?: number): void {
  const { session, ref, also } = asker;
  // Whatever he asks from now on is another question.
  if (session.asking === asker) session.asking = undefined;
  if (also) gather(session);
  say(session, rainId, ref, given, door, retryInMs);
  if (!also) return;
  const again = given.code === '0' ? { ...given, code: '1' as const } : given;
  for (const another of also) say(session, rainId, another, again, door, retryInMs);
}

function say(session: Session, rainId: string, ref: string | undefined, given: GrabAnswer, { limits, tally, relief }: Answering, retryInMs?: number): void {
  tally.answers[given.code]++;
  if ('amount' in given) send(session, resultFrame(rainId, ref, given.code, given), limits);
  else if (given.code === '-7') send(session, resultFrame(rainId, ref, '-7', { retryInMs: retryInMs ?? relief.admission.retryInMs() }), limits);
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
