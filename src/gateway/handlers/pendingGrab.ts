import type { GrabAnswer } from '../../grab/engine.ts';
import { resultFrame } from '../../protocol/codec.ts';
import type { OutcomeCode } from '../../protocol/outcomes.ts';
import type { Admission } from '../overload/admission.ts';
import { frameOf, type Frame } from '../sockets/frame.ts';
import type { Limits } from '../limits.ts';
import { send, type OpenGrab, type Session } from '../sockets/session.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';

/** A grab under way: whom to answer, and which of his questions this is. */
export interface PendingGrab extends OpenGrab {
  readonly userId: string;
  readonly session: Session;
  readonly ref: string | undefined;
}

interface Answering {
  limits: Limits;
  counters: GatewayCounters;
  overload: { admission: Pick<Admission, 'retryInMs'> };
}

export function answer(pending: PendingGrab, rainId: string, given: GrabAnswer, context: Answering): void {
  const { session, ref, also } = pending;
  // Whatever he asks from now on is another question.
  if (session.openGrab === pending) session.openGrab = undefined;
  const first = frameFor(rainId, ref, given, context);
  if (!also) return send(session, first, context.limits);
  const again = given.code === '0' ? { ...given, code: '1' as const } : given;
  const frames = [first];
  for (const another of also) frames.push(frameFor(rainId, another, again, context));
  send(session, Buffer.concat(frames), context.limits);
}

function frameFor(rainId: string, ref: string | undefined, given: GrabAnswer, { counters, overload }: Answering): Frame {
  counters.answers[given.code]++;
  if ('amount' in given) return frameOf(resultFrame(rainId, ref, given.code, given));
  if (given.code === '-7') return frameOf(resultFrame(rainId, ref, '-7', { retryInMs: overload.admission.retryInMs() }));
  return ref === undefined ? refusal(rainId, given.code) : frameOf(resultFrame(rainId, ref, given.code));
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
