import { z } from 'zod';
import { figure } from '../rain/figures.ts';
import { QUANTITY_EXPECTED, QUANTITY_MAX } from './purchase.ts';

export { QUANTITY_MAX };

/**
 * Pieces of an item: a whole number. Cents are `bigint`, so the compiler refuses to mix the two.
 */
export type Units = number;

/** Pieces of one item in one sale at most, with everything that was added. Lua and JSON hold it exactly. */
export const UNITS_MAX: Units = 1_000_000_000;

const UNITS = `expected a whole number from 1 to ${figure(UNITS_MAX)}`;
/** How many pieces there are to sell. */
export const units = z.int({ error: UNITS, abort: true }).min(1, UNITS).max(UNITS_MAX, UNITS);

/** How many pieces somebody buys. No word, no fraction and nothing below 1 is a quantity. */
export const quantity = z
  .int({ error: QUANTITY_EXPECTED, abort: true })
  .min(1, QUANTITY_EXPECTED)
  .max(QUANTITY_MAX, QUANTITY_EXPECTED);
