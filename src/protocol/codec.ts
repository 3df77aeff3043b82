import { readJson } from '../rain/json.ts';
import { firstRefusal, formatRefusal } from '../rain/refusal.ts';
import { clientMessage, type ClientMessage, type ErrorMessage, type GrabMessage, type ServerMessage } from './messages.ts';
import { ERRORS, OUTCOMES, type ErrorCode, type OutcomeCode } from './outcomes.ts';

type Decoded = { ok: true; message: ClientMessage } | { ok: false; error: ErrorMessage };

function refuse(code: ErrorCode, reason: string = ERRORS[code].meaning): Decoded {
  return { ok: false, error: { type: 'error', code, reason } };
}

/** The exact text of a grab as our clients write it. Older clients also name the tapped packet. Any other text goes to the JSON parser. */
const PLAIN_GRAB = /^\{"type":"grab","rainId":"([A-Za-z0-9_-]{1,64}(?:\.[1-9]\d{0,2})?)"(?:,"ref":"([^"\\\u0000-\u001f]{0,64})")?(?:,"ticket":"([A-Za-z0-9_-]{0,128})")?(?:,"packet":(?:0|[1-9]\d{0,14}))?\}$/;

/** Parses one text frame into a trusted message, or into the error for its sender [R12]. Never throws. */
export function decode(text: string): Decoded {
  // Nearly all frames are grabs. A regular expression reads them without the JSON parser, with the same result.
  const plain = PLAIN_GRAB.exec(text);
  if (plain) return { ok: true, message: plainGrab(plain) };
  const value = readJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('not_json');
  dropFormerFields(value);
  const parsed = clientMessage.safeParse(value);
  if (parsed.success) return { ok: true, message: parsed.data };
  if (parsed.error.issues[0]!.code === 'invalid_union') return refuse('unknown_type');
  return refuse('bad_field', formatRefusal(firstRefusal(parsed.error, 'message')).slice(0, 200));
}

function plainGrab(plain: RegExpExecArray): GrabMessage {
  const message: GrabMessage = { type: 'grab', rainId: plain[1]! };
  if (plain[2] !== undefined) message.ref = plain[2];
  if (plain[3] !== undefined) message.ticket = plain[3];
  return message;
}

/** Older clients name the tapped packet in a grab. The field is accepted and ignored. */
function dropFormerFields(value: object): void {
  if ('type' in value && value.type === 'grab') Reflect.deleteProperty(value, 'packet');
}

export function encode(message: ServerMessage): string {
  return JSON.stringify(message);
}

/** What a result may carry beside its code: the packet and its receipt with 0 and 1, the retry delay with -5 and -7. */
type ResultDetail = { redPacketId: string; amount: string; receipt: string } | { retryInMs: number };

/** The `result` message that answers a grab. */
export function resultFrame(rainId: string, ref: string | undefined, code: OutcomeCode, detail?: ResultDetail): string {
  // Built by hand, at a third of the cost of JSON.stringify. The id of a rain and a receipt need no escapes.
  const refField = ref === undefined ? '' : `,"ref":${JSON.stringify(ref)}`;
  return `{"type":"result","rainId":"${rainId}"${refField},"code":"${code}","reason":"${OUTCOMES[code].reason}"${detail ? detailOf(detail) : ''}}`;
}

function detailOf(detail: ResultDetail): string {
  if ('retryInMs' in detail) return `,"retryInMs":${detail.retryInMs}`;
  return `,"redPacketId":${JSON.stringify(detail.redPacketId)},"amount":${JSON.stringify(detail.amount)},"receipt":"${detail.receipt}"`;
}
