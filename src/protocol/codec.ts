import { readJson } from '../rain/json.ts';
import { firstRefusal, formatRefusal, type Refusal } from '../rain/refusal.ts';
import {
  clientMessage,
  type ClientMessage,
  type ErrorMessage,
  type GrabMessage,
  type ServerMessage,
  type WelcomeMessage,
} from './messages.ts';
import { ERRORS, OUTCOMES, type ErrorCode, type OutcomeCode } from './outcomes.ts';
import type { BuyMessage, OrderMessage } from './saleMessages.ts';
import { SALE_OUTCOMES, type SaleOutcomeCode } from './saleOutcomes.ts';

type Decoded = { ok: true; message: ClientMessage } | { ok: false; error: ErrorMessage };

function refuse(code: ErrorCode): Decoded {
  return { ok: false, error: { type: 'error', code, reason: ERRORS[code].meaning } };
}

/**
 * The exact text of a grab as our clients write it. Older clients also name the tapped packet. Any other text goes to
 * the JSON parser.
 */
const PLAIN_GRAB =
  /^\{"type":"grab","rainId":"([A-Za-z0-9_-]{1,64}(?:\.[1-9]\d{0,2})?)"(?:,"ref":"([^"\\\u0000-\u001f]{0,64})")?(?:,"ticket":"([A-Za-z0-9_-]{0,128})")?(?:,"packet":(?:0|[1-9]\d{0,14}))?\}$/;

/** Fields of a purchase, in a message and in the body of a request. */
const [ITEM, TICKET] = [
  String.raw`"sku":"([A-Za-z0-9_-]{1,32})"(?:,"quantity":([1-9]\d{0,2}|1000))?`,
  '(?:,"ticket":"([A-Za-z0-9_-]{0,128})")?',
];
/** The same for a purchase. */
const PLAIN_BUY = new RegExp(
  String.raw`^\{"type":"buy","saleId":"([A-Za-z0-9_-]{1,64}(?:\.[1-9]\d{0,2})?)",${ITEM}(?:,"ref":"([A-Za-z0-9_.-]{1,64})")?${TICKET}\}$`,
);
const PLAIN_BODY = new RegExp(String.raw`^\{${ITEM}${TICKET}\}$`);

/** Parses one text frame into a trusted message, or into the error for its sender [R12]. Never throws. */
export function decode(text: string): Decoded {
  // Nearly all frames are grabs and purchases. A regular expression reads them without the JSON parser, with the same
  // result.
  const plain = PLAIN_GRAB.exec(text);
  if (plain) return { ok: true, message: plainGrab(plain) };
  const buy = PLAIN_BUY.exec(text);
  if (buy) return { ok: true, message: plainBuy(buy) };
  const value = readJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('not_json');
  dropFormerFields(value);
  const parsed = clientMessage.safeParse(value);
  if (parsed.success) return { ok: true, message: parsed.data };
  if (parsed.error.issues[0]!.code === 'invalid_union') return refuse('unknown_type');
  return { ok: false, error: fieldError(firstRefusal(parsed.error, 'message')) };
}

/** The error for a field that is missing or wrong. */
export function fieldError(refusal: Refusal): ErrorMessage {
  return { type: 'error', code: 'bad_field', reason: formatRefusal(refusal).slice(0, 200) };
}

function plainGrab(plain: RegExpExecArray): GrabMessage {
  const message: GrabMessage = { type: 'grab', rainId: plain[1]! };
  if (plain[2] !== undefined) message.ref = plain[2];
  if (plain[3] !== undefined) message.ticket = plain[3];
  return message;
}

function plainBuy(plain: RegExpExecArray): BuyMessage {
  const message: BuyMessage = { type: 'buy', saleId: plain[1]!, sku: plain[2]! };
  if (plain[3] !== undefined) message.quantity = Number(plain[3]);
  if (plain[4] !== undefined) message.ref = plain[4];
  if (plain[5] !== undefined) message.ticket = plain[5];
  return message;
}

/**
 * The body of a purchase over HTTP, as clients without spaces write it; `undefined`: any other text, for the JSON
 * parser.
 */
export function plainBuyBody(text: string): Pick<BuyMessage, 'sku' | 'quantity' | 'ticket'> | undefined {
  const plain = PLAIN_BODY.exec(text);
  if (!plain) return undefined;
  const [quantity, ticket] = [plain[2], plain[3]];
  return {
    sku: plain[1]!,
    ...(quantity !== undefined && { quantity: Number(quantity) }),
    ...(ticket !== undefined && { ticket }),
  };
}

/** Older clients name the tapped packet in a grab. The field is accepted and ignored. */
function dropFormerFields(value: object): void {
  if ('type' in value && value.type === 'grab') Reflect.deleteProperty(value, 'packet');
}

export function encode(message: ServerMessage): string {
  return JSON.stringify(message);
}

/** A `welcome` in two parts: the second one is long, and the same for all users who are told the same. */
export function welcomeStart(userId: string, serverTime: number): string {
  return `{"type":"welcome","userId":${JSON.stringify(userId)},"serverTime":${serverTime},`;
}

export function welcomeEnd(told: Pick<WelcomeMessage, 'rains' | 'sales' | 'limits'>): string {
  return JSON.stringify(told).slice(1);
}

/**
 * Fields that a result may carry beside its code: the packet and its receipt with 0 and 1, the retry delay with -5 and
 * -7.
 */
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

/**
 * Fields that an `order` may carry beside its code: the reservation with 0 and 1, the retry delay with -5 and -7, the
 * next deadline with -12.
 */
export type OrderDetail = Omit<OrderMessage, 'type' | 'saleId' | 'ref' | 'code' | 'reason'>;

/** The `order` message that answers a purchase. */
export function orderFrame(
  saleId: string,
  ref: string | undefined,
  code: SaleOutcomeCode,
  detail?: OrderDetail,
): string {
  // Built by hand as a result is. The ids of a sale and of a purchase, an item and a price need no escapes.
  const refField = ref === undefined ? '' : `,"ref":"${ref}"`;
  return `{"type":"order","saleId":"${saleId}"${refField},"code":"${code}","reason":"${SALE_OUTCOMES[code].reason}"${detail ? orderDetailOf(detail) : ''}}`;
}

function orderDetailOf({
  retryInMs,
  backAt,
  reservationId,
  sku,
  quantity,
  price,
  status,
  payBy,
  place,
  payUrl,
}: OrderDetail): string {
  if (retryInMs !== undefined) return `,"retryInMs":${retryInMs}`;
  if (backAt !== undefined) return `,"backAt":${backAt}`;
  if (reservationId === undefined) return '';
  return (
    `,"reservationId":${JSON.stringify(reservationId)}${sku === undefined ? '' : `,"sku":"${sku}"`}${quantity === undefined ? '' : `,"quantity":${quantity}`}${price === undefined ? '' : `,"price":"${price}"`}` +
    `${status === undefined ? '' : `,"status":"${status}"`}${payBy === undefined ? '' : `,"payBy":${payBy}`}${place === undefined ? '' : `,"place":${place}`}${payUrl === undefined ? '' : `,"payUrl":${JSON.stringify(payUrl)}`}`
  );
}
