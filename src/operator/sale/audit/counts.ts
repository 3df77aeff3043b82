import type { FollowedUnits } from '../../../ledger/stockFaults.ts';
import { holdsUnits } from '../../../sale/order.ts';
import type { Units } from '../../../sale/units.ts';
import { quoted, type SaleFindings } from './findings.ts';
import type { Texts } from './state.ts';
import type { WrongField } from './wrongField.ts';

interface Known {
  /** Orders as the ledger had them before Redis was read, and after. */
  before: readonly FollowedUnits[];
  after: readonly FollowedUnits[];
  /** Units of all reservations in the log when Redis was read, and of refused ones that may still be booked. */
  logged: Units;
  kept: Units;
}

/**
 * Redis follows the ledger: it has what the ledger knew it to have before, and nothing that the ledger does not have
 * after.
 */
function boundsOf(
  sku: string,
  { before, after, logged, kept }: Known,
): Record<'booked' | 'sold' | 'returned', [least: Units, most: Units]> {
  const sum = (rows: readonly FollowedUnits[], which: (row: FollowedUnits) => boolean) =>
    rows.reduce((units, row) => units + (row.sku === sku && which(row) ? row.units : 0), 0);
  const isReleased = ({ status }: FollowedUnits) => !holdsUnits(status);
  const isRefunded = ({ status }: FollowedUnits) => status === 'refunded';
  const released = [sum(before, (row) => isReleased(row) && row.followed), sum(after, isReleased)] as const;
  const refundedMeanwhile = sum(after, isRefunded) - sum(before, (row) => isRefunded(row) && row.followed);
  const paid = (row: FollowedUnits) => row.status === 'paid';
  return {
    booked: [logged - released[1], logged + kept - released[0]],
    sold: [
      sum(before, (row) => paid(row) && row.followed) - (sum(after, isRefunded) - sum(before, isRefunded)),
      sum(after, paid) + refundedMeanwhile,
    ],
    returned: [
      sum(before, (row) => isReleased(row) && row.followed && row.toShop),
      sum(after, (row) => isReleased(row) && row.toShop),
    ],
  };
}

/**
 * Compares the counts of one item in Redis with the log and the ledger. It also holds while people buy and pay.
 * @param kind absent: Redis may have lost something
 * @returns wrong counts whose right value is known exactly
 */
export function compareCounts(
  sku: string,
  stock: Texts,
  known: Known,
  findings: SaleFindings,
  kind: 'counts' | undefined,
): WrongField[] {
  return Object.entries(boundsOf(sku, known)).flatMap(([name, [least, most]]): WrongField[] => {
    const field = `${sku}:${name}`;
    const found = stock[field];
    if (/^\d{1,15}$/.test(found ?? '0') && Number(found ?? 0) >= least && Number(found ?? 0) <= most) return [];
    findings.note(
      `count ${field}`,
      `Redis counts ${found === undefined ? 0 : quoted(found).slice(1, -1)} ${sku} as ${name}; by the log and the ledger they are ${least}${most > least ? ` to ${most}` : ''}`,
      kind,
    );
    return least === most ? [{ hash: 'stock', field, found: found ?? '', right: least }] : [];
  });
}
