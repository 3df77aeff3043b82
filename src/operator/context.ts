import type { CreditQueue, DeadQueue } from '../credit/queue.ts';
import type { RainBook } from '../ledger/book.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BookedSale } from '../ledger/sales.ts';
import type { OrderQueues } from '../orders/queue.ts';
import type { Cents } from '../rain/money.ts';
import type { Refusal } from '../rain/refusal.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { Signer } from '../store/signer.ts';

/** The means of an operator command. Every command is safe to repeat when its outcome is unknown. */
export interface OperatorContext {
  redis: RedisClient;
  ledger: Ledger;
  /** Signs the packets that the command writes. */
  signer: Signer;
  /** The operator; written into the record of operator actions. */
  actor: string;
  /** The service that keeps the orders of new sales (ORDER_SERVICE); default: this system. */
  orderService?: BookedSale['orderService'];
  /** Verbs that move more money than this wait for a second operator (APPROVAL_ABOVE). Absent: none does. */
  approvalAboveCents?: Cents;
  /** The time zone of the event (TIME_ZONE), for texts that people read; default: the zone of this machine. */
  timeZone?: string;
  /** Only for commands that use them; the audit reports the queues when they are there. */
  queues?: Queues;
}

export interface Queues {
  credit: CreditQueue;
  dead: DeadQueue;
}

/** The queues of orders. */
export interface SaleQueues {
  orders: OrderQueues['orders'];
  ordersLater: OrderQueues['later'];
  ordersDead: OrderQueues['dead'];
}

/** An operator context from which the queues can be reached. */
export type QueueContext = OperatorContext & { queues: Queues };

/** Why a command did nothing: field by field when the request was invalid. */
export interface Refused {
  ok: false;
  refusals: Refusal[];
}

export function refuse(field: string, reason: string): Refused {
  return { ok: false, refusals: [{ field, reason }] };
}

/** Ledger field → the name of this field in a request. */
const REQUEST_NAMES: Partial<Record<string, string>> = { budgetCents: 'budget', split: 'plan', rainId: 'rain' };

/** @param fields in which it differs from the request */
export function existsAlready(what: string, id: string, fields: readonly string[]): Refused {
  return refuse(
    'id',
    `a ${what} ${id} exists already, with another ${fields.map((field) => REQUEST_NAMES[field] ?? field).join(', ')}`,
  );
}

/** @throws when the ledger has no such rain: call it only for a rain that was read from there */
export async function bookOf({ ledger }: OperatorContext, rainId: string): Promise<RainBook> {
  const book = await ledger.book(rainId);
  if (!book) throw new Error(`the ledger has no rain ${rainId}`);
  return book;
}
