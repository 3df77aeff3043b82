import type { ServerResponse } from 'node:http';
import { encode, fieldError, orderFrame } from '../../protocol/codec.ts';
import { httpStatusOf } from '../../protocol/http.ts';
import type { Refusal } from '../../rain/refusal.ts';
import type { OrderAnswer, OrderReply } from '../sales/buyer.ts';
import { respond } from './respond.ts';

/** This header stands for the `ref` of a socket's message. */
export const KEY_HEADER = 'Idempotency-Key';

/** Answers a purchase by the response to its request, and the requests that have joined it by theirs. */
export class HttpReply implements OrderReply {
  readonly #response: ServerResponse;
  #joined: OrderReply[] | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  answer({ saleId, ref, code, detail }: OrderAnswer): void {
    respond(this.#response, httpStatusOf(code), orderFrame(saleId, ref, code, detail), detail?.retryInMs);
  }

  answerAll(order: OrderAnswer, again: OrderAnswer): void {
    this.answer(order);
    for (const reply of this.#joined ?? []) reply.answer(again);
  }

  join(other: OrderReply): void {
    (this.#joined ??= []).push(other);
  }

  answerBusy(order: Omit<OrderAnswer, 'code' | 'detail'>, retryInMs: number): void {
    this.answer({ ...order, code: '-7', detail: { retryInMs } });
  }

  refuse({ field, reason }: Refusal): void {
    respond(this.#response, 400, encode(fieldError({ field: field === 'ref' ? KEY_HEADER : field, reason })));
  }
}
