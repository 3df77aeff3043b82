import type { IsDiscarded } from './explained.ts';
import type { SaleFindings } from './findings.ts';
import type { SaleLog } from './saleLog.ts';

/**
 * Names the reservations that Redis has allowed beyond a limit or to an excluded user, and the ledger has refused:
 * somebody has changed Redis. Not those of buyers of whom Redis had lost a reservation, and not those whose dead letter
 * the operator has discarded.
 */
export function nameBeyond(
  { beyond, putBack }: SaleLog,
  isDiscarded: IsDiscarded,
  hasLostSome: boolean,
  findings: SaleFindings,
): void {
  for (const {
    one,
    refusal: { reservationId, userId, quantity, sku },
  } of beyond) {
    if (putBack.has(userId) || isDiscarded(one)) continue;
    findings.note(
      `limit ${reservationId}`,
      `Redis has reserved ${reservationId}, ${quantity} ${sku}, for ${userId}, who may not hold so many, or is excluded from the campaign; the ledger has refused it, and it is a dead letter`,
      hasLostSome ? undefined : 'limit',
    );
  }
}
