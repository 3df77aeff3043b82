import type { Reservation } from '../sale/reservation.ts';
import type { Units } from '../sale/units.ts';
import { refusalOf } from './refusal.ts';
import type { Database } from './database.ts';

/**
 * Why the ledger takes no order of a reservation. `stock`: there are no units for it. `limit`: the user may not hold so
 * many, or is excluded from the campaign. `time`: the sale was not open. `terms`: the sale has no such item, price or
 * quantity. `differs`: another order has its number, or its ref. `lost`: Redis has lost it, and somebody else has its
 * number or units by now, or its buyer has asked again with its ref.
 */
type RefusalReason = 'stock' | 'limit' | 'time' | 'terms' | 'differs' | 'lost';

export interface NewRefusal extends Pick<Reservation, 'saleId' | 'reservationId' | 'userId' | 'sku' | 'quantity'> {
  reason: RefusalReason;
  detail: string;
}

export interface Refusal extends NewRefusal {
  quantity: Units;
  /** Epoch ms. */
  at: number;
}

const DETAIL_MAX = 1_000;

/** By the SQLSTATE that the database gives, see the migration `sale_limits`. */
const REASONS: readonly [code: RegExp, reason: RefusalReason][] = [
  [/^23R01/, 'limit'],
  [/^23R02/, 'time'],
  [/^23514.*StockAccount_only_shop_below_zero/s, 'stock'],
];

/** @param text `code: message` of the database; of what was refused before the ledger keeps the first reason */
export function refusalReason(text: string): RefusalReason {
  return REASONS.find(([form]) => form.test(text))?.[1] ?? 'terms';
}

/**
 * Whether the units of a refused reservation are sold again. Otherwise an order of somebody else has them, or nobody
 * can say where they came from. A lost one has booked units only if it was put back after all, and then they are its
 * own.
 */
export function givesBack(reason: RefusalReason): boolean {
  return reason === 'limit' || reason === 'time' || reason === 'lost';
}

/**
 * Records that these reservations never become orders, before anybody is told. One that has an order by now is left
 * out. Safe to repeat: the first reason stays.
 * @returns the refused ones, now or earlier
 * @throws when an order of one is written at this moment; then try again
 */
export async function refuseReservations(database: Database, refusals: readonly NewRefusal[]): Promise<Refusal[]> {
  if (refusals.length === 0) return [];
  const rows = refusals.toSorted((a, b) => (a.reservationId < b.reservationId ? -1 : 1));
  const column = <Name extends keyof NewRefusal>(name: Name) => rows.map((row) => row[name]);
  try {
    await database.$executeRaw`
      INSERT INTO "SaleRefusal" ("reservationId", "userId", "saleId", "sku", "quantity", "reason", "detail")
      SELECT refused.* FROM unnest(${column('reservationId')}::text[], ${column('userId')}::text[], ${column('saleId')}::text[], ${column('sku')}::text[],
        ${column('quantity')}::int[], ${column('reason')}::text[], ${rows.map(({ detail }) => detail.slice(0, DETAIL_MAX))}::text[]) AS refused ("reservationId", "userId", "saleId", "sku", "quantity", "reason", "detail")
      WHERE NOT EXISTS (SELECT FROM "SaleOrder" WHERE "SaleOrder"."id" = refused."reservationId" AND "SaleOrder"."userId" = refused."userId")
      ON CONFLICT DO NOTHING`;
  } catch (error) {
    // Not a refusal of what is written here: the next attempt finds the order, and leaves it out.
    throw refusalOf(error) ? new Error(`reservations cannot be refused: ${String(error)}`, { cause: error }) : error;
  }
  return await refusalsAmong(database, refusals);
}

/** The refusals of these reservations of these users. */
export async function refusalsAmong(
  database: Database,
  reservations: readonly Pick<Reservation, 'reservationId' | 'userId'>[],
): Promise<Refusal[]> {
  if (reservations.length === 0) return [];
  const rows = await database.$queryRaw<(Omit<Refusal, 'at'> & { at: Date })[]>`
    SELECT "SaleRefusal".* FROM unnest(${reservations.map(({ reservationId }) => reservationId)}::text[], ${reservations.map(({ userId }) => userId)}::text[]) AS asked ("reservationId", "userId")
    JOIN "SaleRefusal" USING ("reservationId", "userId")`;
  return rows.map(({ at, ...row }) => ({ ...row, at: at.getTime() }));
}
