import { z } from 'zod';
import { matching, rainId } from '../rain/ids.ts';
import { REF_EXPECTED, REF_FORM, SKU_EXPECTED, SKU_FORM } from './purchase.ts';

/** The id of a sale has the form of a rain's: a sale of a campaign is one of its rounds, such as `autumn.3`. */
export const saleId = rainId;

/** An item of a sale. Scripts write it between colons and semicolons, and it is a part of account names. */
export const sku = matching(SKU_FORM, SKU_EXPECTED);

/** Chosen by the buyer for one purchase; asking again with the same one gives the first answer again. */
export const purchaseRef = matching(REF_FORM, REF_EXPECTED);

/** The number of a reservation within its sale, from 1, in the order in which they were made. */
const ORDINAL = /^[1-9]\d{0,14}$/;

/** The id of a reservation, and of the order that follows from it. */
export function reservationId(sale: string, ordinal: number): string {
  return `${sale}-${ordinal}`;
}

/**
 * The number in the id of a reservation; `undefined`: not the id of a reservation of this sale. It does not check that
 * it was made.
 */
export function reservationOrdinal(sale: string, id: string): number | undefined {
  const digits = id.slice(sale.length + 1);
  return ORDINAL.test(digits) && id === reservationId(sale, Number(digits)) ? Number(digits) : undefined;
}

/** The sale and the number in the id of a reservation; `undefined`: it is none. It does not check that it was made. */
export function parseReservationId(id: string): { saleId: string; ordinal: number } | undefined {
  const sale = id.slice(0, Math.max(0, id.lastIndexOf('-')));
  const ordinal = saleId.safeParse(sale).success ? reservationOrdinal(sale, id) : undefined;
  return ordinal === undefined ? undefined : { saleId: sale, ordinal };
}

export const RESERVATION_EXPECTED = 'expected the id of a reservation, such as autumn-17';
export const reservationIdText = z.string(RESERVATION_EXPECTED).regex(/^[A-Za-z0-9_.-]{3,90}$/, RESERVATION_EXPECTED);
