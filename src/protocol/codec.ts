import { readJson } from '../rain/json.ts';
import { firstRefusal, tellRefusal } from '../rain/refusal.ts';
import { clientMessage, type ClientMessage, type ErrorMessage, type ServerMessage } from './messages.ts';
import { ERRORS, OUTCOMES, type ErrorCode, type OutcomeCode } from './outcomes.ts';

export type Decoded = { ok: true; message: ClientMessage } | { ok: false; error: ErrorMessage };

function refuse(code: ErrorCode, reason: string = ERRORS[code].meaning): Decoded {
  return { ok: false, error: { type: 'error', code, reason } };
}

/** One text frame → a message that can be trusted, or the error its sender is told [R12]. Never throws. */
export function decode(text: string): Decoded {
  const value = readJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('not_json');
  const parsed = clientMessage.safeParse(value);
  if (parsed.success) return { ok: true, message: parsed.data };
  if (parsed.error.issues[0]!.code === 'invalid_union') return refuse('unknown_type');
  return refuse('bad_field', tellRefusal(firstRefusal(parsed.error, 'message')).slice(0, 200));
}

export function encode(message: ServerMessage): string {
  return JSON.stringify(message);
}

/** The frame that answers a grab. `packet` comes with codes 0 and 1. */
export function resultFrame(rainId: string, ref: string | undefined, code: OutcomeCode, packet?: { redPacketId: string; amount: string }): string {
  return encode({
    type: 'result', rainId, ...(ref !== undefined && { ref }), code, reason: OUTCOMES[code].reason,
    ...(packet && { redPacketId: packet.redPacketId, amount: packet.amount }),
  });
}
