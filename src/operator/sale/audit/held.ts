import type { BookedSale } from '../../../ledger/sales.ts';
import { saleKeys } from '../../../store/saleKeys.ts';
import type { OperatorContext } from '../../context.ts';
import type { Texts } from './state.ts';

/** A sale as Redis has it: the fields of its state and stock, its numbers of reservations, and the moment (ms). */
export interface HeldSale {
  state: Texts;
  stock: Texts;
  made: number;
  logged: number;
  now: number;
}

/** Only these are read, whatever somebody else has put beside them [R10]. */
const STATE_FIELDS = [
  'state',
  'saleId',
  'opensAt',
  'closesAt',
  'holdMs',
  'perUserMax',
  'boughtMax',
  'terms',
  'items',
  'added',
  'made',
  'held',
  'signedBy',
] as const;
const STOCK_COUNTS = ['units', 'booked', 'sold', 'returned'] as const;

/** State, stock and lengths in one moment; `undefined`: Redis has no such sale. */
export async function readHeld({ redis }: OperatorContext, { id, items }: BookedSale): Promise<HeldSale | undefined> {
  const keys = saleKeys(id);
  const stockFields = items.flatMap(({ sku }) => [sku, ...STOCK_COUNTS.map((count) => `${sku}:${count}`)]);
  const replies = (await redis
    .multi()
    .hmget(keys.state, ...STATE_FIELDS)
    .hmget(keys.stock, ...stockFields)
    .llen(keys.reservations)
    .time()
    .exec())!;
  for (const [error] of replies) if (error) throw error;
  const [states, stocks, logged, [seconds]] = replies.map(([, reply]) => reply) as [
    (string | null)[],
    (string | null)[],
    number,
    [string, string],
  ];
  const [state, stock] = [textsOf(STATE_FIELDS, states), textsOf(stockFields, stocks)];
  return state['state'] === undefined && logged === 0
    ? undefined
    : { state, stock, logged, made: Number(state['made'] ?? 0), now: 1_000 * Number(seconds) };
}

const textsOf = (fields: readonly string[], values: readonly (string | null)[]): Texts =>
  Object.fromEntries(fields.map((field, i) => [field, values[i] ?? undefined]));

export async function madeNow({ redis }: OperatorContext, saleId: string): Promise<number> {
  return Number((await redis.hget(saleKeys(saleId).state, 'made')) ?? 0);
}
