/**
 * The forms of names that a buyer sends, and limits that pages show. Apart from the schemas, so that a browser can check a
 * purchase without loading zod.
 */
export const SKU_FORM = /^[A-Za-z0-9_-]{1,32}$/;
export const SKU_EXPECTED = 'expected a SKU of 1 to 32 English letters, digits, _ or -';

export const REF_FORM = /^[A-Za-z0-9_.-]{1,64}$/;
export const REF_EXPECTED = 'expected 1 to 64 letters, digits, _, . or -';

/** Pieces in one purchase at most, whatever the sale allows. */
export const QUANTITY_MAX = 1_000;
export const QUANTITY_EXPECTED = `expected a whole number from 1 to ${QUANTITY_MAX}`;

/** The description of an item, which is in every snapshot, too [R10]. */
export const DESCRIPTION_CHARACTERS_MAX = 200;

/** Items of one sale at most: all of them are in every snapshot [R10]. */
export const ITEMS_MAX = 50;
