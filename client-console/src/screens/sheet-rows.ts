import { formatMoney, parseMoney } from '../../../src/rain/money.ts';
import type { Winner } from '../state/responses.ts';

export interface SheetRows {
  /** In the order in which they won; in that of the credits when Redis has forgotten the rain. */
  rows: readonly Winner[];
  /** The sum of what is or will be credited. */
  due: string;
}

const isDue = ({ status }: Winner): boolean => status === 'credited' || status === 'pending';

/** What is printed of winners that are listed latest first: without wins that an operator has given up, whose money went back. */
export function sheetRows(latestFirst: readonly Winner[]): SheetRows {
  // Those of one batch have one time: reversed first, they keep their order.
  const rows = latestFirst.filter(({ status }) => status !== 'discarded').reverse().sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return { rows, due: formatMoney(rows.filter(isDue).reduce((sum, { amount }) => sum + (parseMoney(amount) ?? 0n), 0n)) };
}
