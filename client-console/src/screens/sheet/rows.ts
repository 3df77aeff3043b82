import { formatMoney, parseMoney } from '../../../../src/rain/money.ts';
import { holdsUnits } from '../../../../src/sale/order.ts';
import type { Order, Winner } from '../../state/responses.ts';

interface SheetRows {
  /** In the order in which they won; in that of the credits when Redis has forgotten the rain. */
  rows: readonly Winner[];
  /** The sum of what is or will be credited. */
  due: string;
}

const isDue = ({ status }: Winner): boolean => status === 'credited' || status === 'pending';

/**
 * The printed rows of winners that are listed latest first: without wins that an operator has given up, whose money
 * went back.
 */
export function sheetRows(latestFirst: readonly Winner[]): SheetRows {
  // Winners of one batch have one time: reversed first, they keep their order.
  const rows = latestFirst
    .filter(({ status }) => status !== 'discarded')
    .reverse()
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return {
    rows,
    due: formatMoney(rows.filter(isDue).reduce((sum, { amount }) => sum + (parseMoney(amount) ?? 0n), 0n)),
  };
}

/**
 * The printed rows of orders that are listed by number: those whose units are, or may still become, the buyer's, in the
 * order of the reservations.
 */
export function orderRows(byNumber: readonly Order[]): { rows: readonly Order[]; units: number } {
  const rows = byNumber
    .filter(({ status }) => holdsUnits(status))
    .sort((a, b) => Date.parse(a.reservedAt) - Date.parse(b.reservedAt));
  return { rows, units: rows.reduce((sum, { quantity }) => sum + quantity, 0) };
}
