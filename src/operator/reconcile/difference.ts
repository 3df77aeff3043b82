import { formatMoney, type Cents } from '../../rain/money.ts';

/** How one payment in the statement, or one credit in the book, compares. All but `both` are differences. */
const RESULTS = ['both', 'wallet_only', 'book_only', 'amount_differs', 'user_differs', 'paid_twice'] as const;
type Result = (typeof RESULTS)[number];

/** One payment or credit that the other side does not have, or has otherwise. Amounts are decimal strings. */
export interface Difference {
  result: Exclude<Result, 'both'>;
  /** The claim id. */
  id: string;
  redPacketId: string;
  /** By the book; absent: it knows no winner of this packet. */
  userId?: string;
  /** By the statement; absent: it is not there. */
  paid?: string;
  /** By the book; absent: it is not credited. */
  booked?: string;
  /** The time of the payment, as the wallet writes it. */
  time?: string;
  /** Line of the statement. */
  line?: number;
  detail: string;
}

/** The columns of a sheet of differences. */
export const DIFFERENCE_COLUMNS = [
  'result',
  'id',
  'redPacketId',
  'userId',
  'paid',
  'booked',
  'time',
  'line',
  'detail',
] as const satisfies readonly (keyof Difference)[];

/** The totals compared so far. */
export interface Totals {
  counts: Record<Result, number>;
  /** By the statement, payments for other rains left out. */
  paidCents: Cents;
  bookedCents: Cents;
  /** Payments in the statement whose id is of no packet of this rain. */
  others: number;
}

export function newTotals(): Totals {
  return {
    counts: { both: 0, wallet_only: 0, book_only: 0, amount_differs: 0, user_differs: 0, paid_twice: 0 },
    paidCents: 0n,
    bookedCents: 0n,
    others: 0,
  };
}

export interface Summary {
  /** The wallet and the book agree on every payment. */
  agree: boolean;
  counts: Totals['counts'];
  /** Decimal strings. */
  paid: string;
  booked: string;
  others: number;
}

export function summaryOf({ counts, paidCents, bookedCents, others }: Totals): Summary {
  return {
    agree: RESULTS.every((result) => result === 'both' || counts[result] === 0),
    counts,
    paid: formatMoney(paidCents),
    booked: formatMoney(bookedCents),
    others,
  };
}
