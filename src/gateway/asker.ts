import type { GrabAnswer } from '../grab/engine.ts';
import { resultFrame } from '../protocol/codec.ts';
import type { OutcomeCode } from '../protocol/outcomes.ts';
import type { Door } from './door.ts';
import { frameOf, type Frame } from './frame.ts';
import { gather, send, type Session } from './session.ts';

/** A grab under way: whom to answer, and which of his questions this is. */
export interface Asker {
  readonly userId: string;
  readonly session: Session;
  readonly rainId: string;
  readonly ref: string | undefined;
  /** In which turn of the event loop he asked, and the refs of what he asked about the same rain until its end: one decision answers all. */
  readonly turn: number;
  also: (string | undefined)[] | undefined;
}

type Answering = Pick<Door, 'limits' | 'tally'> & { relief: Pick<Door['relief'], 'admission'> };

/** @param retryInMs for "busy", when it has been decided already */
export function answer(asker: Asker, rainId: string, given: GrabAnswer, door: Answering, retryInMs?: number): void {
  const { session, ref, also } = asker;
  // Whatever he asks from now on is another question.
  if (session.asking === asker) session.asking = undefined;
  if (also) gather(session);
  say(session, rainId, ref, given, door, retryInMs);
  if (also) for (const another of also) say(session, rainId, another, given, door, retryInMs);
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
