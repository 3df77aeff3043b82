import type { Refusal } from '../../rain/refusal.ts';
import type { OrderDetail } from '../../protocol/codec.ts';
import type { SaleOutcomeCode } from '../../protocol/saleOutcomes.ts';
import type { TicketHolder } from '../challenge/tickets.ts';
import type { Identity } from '../sockets/token.ts';

/** A buyer: a socket, or a caller over HTTP. */
export interface Buyer extends TicketHolder, Readonly<Pick<Identity, 'audience'>> {
  /** The last purchase, until it is answered. */
  openPurchase: OpenPurchase | undefined;
}

/** A purchase that is not answered yet. */
export interface OpenPurchase {
  readonly saleId: string;
  readonly sku: string;
  readonly quantity: number;
  readonly ref: string | undefined;
  readonly reply: OrderReply;
  /** How often the same buyer has asked for the same meanwhile: one decision for all. The rate limit bounds it. */
  also: number;
}

/** The fields of an `order`. */
export interface OrderAnswer {
  readonly saleId: string;
  readonly ref: string | undefined;
  readonly code: SaleOutcomeCode;
  readonly detail?: OrderDetail | undefined;
}

/** Where the answer to one ask goes: to a socket, or to an HTTP request. */
export interface OrderReply {
  answer(order: OrderAnswer): void;
  /** The same, and `again` to those that have joined. */
  answerAll(order: OrderAnswer, again: OrderAnswer, also: number): void;
  /** Another ask for the same waits for this answer. */
  join(other: OrderReply): void;
  /** The gateway has no room for the ask: its buyer shall come again so many ms later. */
  answerBusy(order: Omit<OrderAnswer, 'code' | 'detail'>, retryInMs: number): void;
  /** A field of the ask is wrong. */
  refuse(refusal: Refusal): void;
}
