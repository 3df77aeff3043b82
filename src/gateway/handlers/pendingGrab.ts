import type { Refusal, ToldPacket } from '../../grab/engine.ts';
import { resultFrame } from '../../protocol/codec.ts';
import type { Admission } from '../overload/admission.ts';
import type { Signer } from '../../store/signer.ts';
import { frameOf, type Frame } from '../sockets/frame.ts';
import { RefusalFrames } from '../sockets/refusalFrames.ts';
import type { Limits } from '../limits.ts';
import { send, type OpenGrab, type Session } from '../sockets/session.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';

/** A grab in flight: the session to answer, and the `ref` of the message. */
export interface PendingGrab extends OpenGrab {
  readonly userId: string;
  readonly session: Session;
  readonly ref: string | undefined;
}

interface AnswerContext {
  signer: Pick<Signer, 'receipt'>;
  limits: Limits;
  counters: GatewayCounters;
  overload: { admission: Pick<Admission, 'retryInMs'> };
}

const refusals = new RefusalFrames<Refusal['code']>(resultFrame);

export function answer(
  pending: PendingGrab,
  rainId: string,
  given: ToldPacket | Refusal,
  context: AnswerContext,
): void {
  const { session, ref, also } = pending;
  const told = 'amount' in given ? withReceipt(rainId, pending.userId, given, context) : given;
  // Later grabs of this session start a new decision.
  if (session.openGrab === pending) session.openGrab = undefined;
  const first = frameFor(rainId, ref, told, context);
  if (!also) return send(session, first, context.limits);
  const repeat = told.code === '0' ? { ...told, code: '1' as const } : told;
  const frames = [first];
  for (const otherRef of also) frames.push(frameFor(rainId, otherRef, repeat, context));
  send(session, Buffer.concat(frames), context.limits);
}

type Receipted = ToldPacket & { receipt: string };

function withReceipt(
  rainId: string,
  userId: string,
  { code, redPacketId, amount }: ToldPacket,
  { signer }: AnswerContext,
): Receipted {
  return { code, redPacketId, amount, receipt: signer.receipt({ rainId, redPacketId, amount, userId }) };
}

function frameFor(
  rainId: string,
  ref: string | undefined,
  given: Receipted | Refusal,
  { counters, overload }: AnswerContext,
): Frame {
  counters.answers[given.code]++;
  if ('amount' in given) return frameOf(resultFrame(rainId, ref, given.code, given));
  if (given.code === '-7')
    return frameOf(resultFrame(rainId, ref, '-7', { retryInMs: overload.admission.retryInMs() }));
  return refusals.of(rainId, ref, given.code);
}
