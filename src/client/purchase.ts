import { QUANTITY_EXPECTED, QUANTITY_MAX, REF_EXPECTED, REF_FORM, SKU_EXPECTED, SKU_FORM } from '../sale/purchase.ts';

/** The purchase that the user wishes. */
export interface Purchase {
  sku: string;
  /** Units; default 1. */
  quantity?: number;
  /**
   * Names this purchase: asking again with the same one gets the first answer again. Default: one that the client makes
   * and keeps until it has an answer.
   */
  ref?: string;
}

/** A purchase of which all is known. */
export type NamedPurchase = Required<Purchase>;

/**
 * Refs that are kept for purchases without an answer, and purchases under way at a time [R10]: as many as a user may
 * have reservations.
 */
const PURCHASES_MAX = 20;

/** @throws TypeError naming the field: the gateway would not understand the message, and would not answer it */
export function checkPurchase({ sku, quantity = 1, ref }: Purchase): void {
  if (typeof sku !== 'string' || !SKU_FORM.test(sku)) throw new TypeError(`sku: ${SKU_EXPECTED}`);
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > QUANTITY_MAX)
    throw new TypeError(`quantity: ${QUANTITY_EXPECTED}`);
  if (ref !== undefined && (typeof ref !== 'string' || !REF_FORM.test(ref)))
    throw new TypeError(`ref: ${REF_EXPECTED}`);
}

/**
 * The refs that the client has made itself. The same wish gets the same ref until it is answered, so that it is not
 * bought twice.
 */
export class PurchaseRefs {
  readonly #refs = new Map<string, string>();

  name({ sku, quantity = 1, ref }: Purchase): NamedPurchase {
    if (ref !== undefined) return { sku, quantity, ref };
    const wish = `${sku} ${quantity}`;
    const kept = this.#refs.get(wish) ?? newRef();
    this.#refs.delete(wish);
    this.#refs.set(wish, kept);
    // The oldest first: it was given up longest ago.
    for (const oldest of this.#refs.keys()) if (this.#refs.size > PURCHASES_MAX) this.#refs.delete(oldest);
    return { sku, quantity, ref: kept };
  }

  /** Whether the client has made this ref: then nobody else has bought with it. */
  isOwn(ref: string): boolean {
    return [...this.#refs.values()].includes(ref);
  }

  answered(ref: string): void {
    for (const [wish, kept] of this.#refs) if (kept === ref) this.#refs.delete(wish);
  }

  forget(): void {
    this.#refs.clear();
  }
}

/** @throws RangeError when too many purchases have no answer yet */
export function checkUnderWay(count: number): void {
  if (count >= PURCHASES_MAX)
    throw new RangeError(`buy: ${PURCHASES_MAX} purchases in this sale have no answer yet, expected fewer`);
}

/** Not from `random`, which may be a test's: two devices of one user must never make the same one. */
function newRef(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
