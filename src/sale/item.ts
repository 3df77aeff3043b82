import { z } from 'zod';
import { CENTS_MAX, formatMoney, parseMoney } from '../rain/money.ts';
import { sku } from './ids.ts';
import { DESCRIPTION_CHARACTERS_MAX, ITEMS_MAX } from './purchase.ts';
import { quantity, QUANTITY_MAX, units } from './units.ts';

export { ITEMS_MAX };

const PRICE = `expected an amount from 0.00 to ${formatMoney(CENTS_MAX)} with two decimals, such as 19.90`;
const NO_PRICE = 'empty, expected an amount such as 19.90, or 0.00 for what is free';
/** A price as a decimal string; 0.00 is a price too. It is recorded and shown: no money of a sale is moved here. */
export const price = z
  .string(PRICE)
  .min(1, { error: NO_PRICE, abort: true })
  .refine((text) => (parseMoney(text) ?? CENTS_MAX + 1n) <= CENTS_MAX, PRICE);

/** The price of so many units. @param price a valid one */
export function amountOf({ price: its, quantity: count }: { price: string; quantity: number }): string {
  return formatMoney(BigInt(count) * parseMoney(its)!);
}

const NAME = 'expected 1 to 120 printable characters';
const DESCRIPTION = `expected 1 to ${DESCRIPTION_CHARACTERS_MAX} printable characters and line ends`;
const PICTURE = 'expected an address that begins with https:// or /, of at most 500 characters';

/** One item of a sale as the operator plans it. A limit that is absent is the largest quantity. */
export const item = z.strictObject({
  sku,
  /** For people; absent: the SKU. */
  name: z
    .string(NAME)
    .regex(/^[^\p{Cc}\p{Cs}]{1,120}$/u, NAME)
    .optional(),
  /** Plain text, as it was typed. */
  description: z
    .string(DESCRIPTION)
    .regex(new RegExp(`^(?:\\n|[^\\p{Cc}\\p{Cs}]){1,${DESCRIPTION_CHARACTERS_MAX}}$`, 'u'), DESCRIPTION)
    .optional(),
  units,
  price,
  /** The usual price, which is shown crossed out. */
  listPrice: price.optional(),
  picture: z
    .string(PICTURE)
    .max(500, PICTURE)
    .regex(/^(https:\/\/|\/)[^\s"<>\\]*$/, PICTURE)
    .optional(),
  perOrderMax: quantity.optional(),
  perUserMax: quantity.optional(),
});
export type Item = z.infer<typeof item>;

/** The item with both of its limits. */
export function withLimits({
  perOrderMax = QUANTITY_MAX,
  perUserMax = QUANTITY_MAX,
  ...plain
}: Item): Item & Required<Pick<Item, 'perOrderMax' | 'perUserMax'>> {
  return { ...plain, perOrderMax, perUserMax };
}

const ITEMS = `expected 1 to ${ITEMS_MAX} items`;
export const items = z
  .array(item, ITEMS)
  .min(1, ITEMS)
  .max(ITEMS_MAX, ITEMS)
  .refine((all) => new Set(all.map((one) => one.sku)).size === all.length, 'expected each SKU once');

/**
 * Items of a new sale: a list price is crossed out beside the price, so one that is not above it would be a false
 * discount.
 */
export const newItems = items.superRefine((all, context) => {
  all.forEach(({ price: its, listPrice }, i) => {
    if (listPrice !== undefined && parseMoney(listPrice)! <= parseMoney(its)!)
      context.addIssue({ code: 'custom', path: [i, 'listPrice'], message: `expected more than the price, ${its}` });
  });
});
