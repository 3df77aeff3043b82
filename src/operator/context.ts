import type { CreditQueue, DeadQueue } from '../credit/queue.ts';
import type { RainBook } from '../ledger/book.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Refusal } from '../rain/refusal.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

/** What a verb works with. Every verb is safe to repeat: when its outcome is unknown, the operator does it again. */
export interface OperatorContext {
  redis: RedisClient;
  ledger: Ledger;
  /** Who acts; stands in the record of operator actions. */
  actor: string;
  /** For the verbs that look into them; the audit tells of them when it can. */
  queues?: Queues;
}

export interface Queues {
  credit: CreditQueue;
  dead: DeadQueue;
}

/** An operator context from which the queues can be reached. */
export type QueueContext = OperatorContext & { queues: Queues };

/** Why a verb did nothing: field by field when the request was at fault. */
export interface Refused {
  ok: false;
  refusals: Refusal[];
}

export function refuse(field: string, reason: string): Refused {
  return { ok: false, refusals: [{ field, reason }] };
}

/** @throws when the book has no such rain: asked only about rains it was found in */
export async function bookOf({ ledger }: OperatorContext, rainId: string): Promise<RainBook> {
  const book = await ledger.book(rainId);
  if (!book) throw new Error(`the book has no rain ${rainId}`);
  return book;
}
