import type { Units } from './units.ts';

/** The equation of one item: units = sold + reserved + pending + left + returned, always [R8]. */
export interface ItemEquation {
  sku: string;
  /** All that were put into the sale, top-ups included. */
  units: Units;
  /** In paid orders. */
  sold: Units;
  /** In orders that wait for their payment. */
  reserved: Units;
  /** Reserved in Redis; the order is not written yet. */
  pending: Units;
  /** In stock. */
  left: Units;
  /** Back at the shop: what was left when the sale was settled, and what was given back after its end. */
  returned: Units;
}

export const ITEM_PARTS = [
  'sold',
  'reserved',
  'pending',
  'left',
  'returned',
] as const satisfies readonly (keyof ItemEquation)[];

/** A negative part would hide invented units behind a total that happens to match. */
export function isBalanced(equation: ItemEquation): boolean {
  return (
    ITEM_PARTS.every((part) => equation[part] >= 0) &&
    ITEM_PARTS.reduce((sum, part) => sum + equation[part], 0) === equation.units
  );
}
