import { encode, fieldError, orderFrame } from '../../protocol/codec.ts';
import type { SaleOutcomeCode } from '../../protocol/saleOutcomes.ts';
import type { Refusal } from '../../rain/refusal.ts';
import type { Limits } from '../limits.ts';
import type { Unread } from '../overload/unread.ts';
import { frameOf, type Frame } from '../sockets/frame.ts';
import { RefusalFrames } from '../sockets/refusalFrames.ts';
import { send, sendProtocolError, type Session } from '../sockets/session.ts';
import type { OrderAnswer, OrderReply } from './buyer.ts';

const refusals = new RefusalFrames<SaleOutcomeCode>(orderFrame);

function frameFor({ saleId, ref, code, detail }: OrderAnswer): Frame {
  return detail === undefined ? refusals.of(saleId, ref, code) : frameOf(orderFrame(saleId, ref, code, detail));
}

/** Answers purchases over a socket, all of them that were asked for there. */
class SocketReply implements OrderReply {
  readonly #session: Session;
  readonly #limits: Limits;
  readonly #unread: Pick<Unread, 'refused'>;

  constructor(session: Session, limits: Limits, unread: Pick<Unread, 'refused'>) {
    this.#session = session;
    this.#limits = limits;
    this.#unread = unread;
  }

  answer(order: OrderAnswer): void {
    send(this.#session, frameFor(order), this.#limits);
  }

  answerAll(order: OrderAnswer, again: OrderAnswer, also: number): void {
    const first = frameFor(order);
    const repeat = again === order ? first : frameFor(again);
    send(this.#session, Buffer.concat([first, ...Array.from({ length: also }, () => repeat)]), this.#limits);
  }

  join(): void {
    // All answers go to the same socket: their number is enough.
  }

  answerBusy(order: Omit<OrderAnswer, 'code' | 'detail'>, retryInMs: number): void {
    this.answer({ ...order, code: '-7', detail: { retryInMs } });
    this.#unread.refused(this.#session, retryInMs);
  }

  refuse(refusal: Refusal): void {
    sendProtocolError(this.#session, encode(fieldError(refusal)), this.#limits);
  }
}

/** One for each session, made with its first purchase. */
export function replyOf(session: Session, limits: Limits, unread: Pick<Unread, 'refused'>): OrderReply {
  return (session.orderReply ??= new SocketReply(session, limits, unread));
}
