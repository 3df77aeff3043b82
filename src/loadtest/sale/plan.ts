import { randomSource } from '../../rain/fairness.ts';

/** A buyer's intention with a reservation. */
type Intention = 'pay' | 'cancel' | 'nothing';

export interface PlannedPurchase {
  /** Chooses the item, whatever items the sale has: the remainder by their number. */
  pick: number;
  /** Before the limit of the item. */
  quantity: number;
  /** Asks again with the same ref once it has an answer. */
  repeats: boolean;
  intention: Intention;
}

export interface BuyerPlan {
  /** From the opening to the first purchase, ms. */
  reactionMs: number;
  purchases: PlannedPurchase[];
  /** Sends this frame besides, which must not buy anything; `undefined`: an honest buyer. */
  hostile: ((saleId: string, sku: string) => string) | undefined;
}

/** Shares of all purchases, and of all buyers for `hostile`; each from 0 to 1. */
export interface BuyerShares {
  pay: number;
  cancel: number;
  repeat: number;
  hostile: number;
}

const PURCHASES_MAX = 3;
/** Two of three purchases are of one unit. */
const QUANTITIES = [1, 1, 1, 1, 2, 3];
const DRAWS = 1_000_000;

/** Quantities that would make stock, or buy more than was meant, and an item that no sale has. */
const HOSTILE: NonNullable<BuyerPlan['hostile']>[] = [
  ...[0, -10, 1.5, 1e16, '2', null].map(
    (quantity) => (saleId: string, sku: string) =>
      JSON.stringify({ type: 'buy', saleId, sku, quantity, ref: 'hostile' }),
  ),
  (saleId) => JSON.stringify({ type: 'buy', saleId, sku: 'no-such-item-as-this', quantity: 1, ref: 'hostile' }),
  (saleId, sku) =>
    JSON.stringify({ type: 'buy', saleId, sku, quantity: 1, price: '0.00', userId: 'buyer-0', ref: 'hostile' }),
];

/** The plan of each buyer; the same seed gives the same plans. @throws RangeError for invalid shares */
export function plansOf(
  users: number,
  { pay, cancel, repeat, hostile }: BuyerShares,
  reactionMs: { min: number; max: number },
  seed: string,
): BuyerPlan[] {
  for (const share of [pay, cancel, repeat, hostile])
    if (!(share >= 0 && share <= 1)) throw new RangeError(`expected shares from 0 to 1, got ${share}`);
  if (pay + cancel > 1)
    throw new RangeError(`expected shares of pay and cancel with a sum of at most 1, got ${pay + cancel}`);
  const random = randomSource(seed, 'buyers');
  const chance = () => random.belowNumber(DRAWS) / DRAWS;
  const intention = (drawn: number): Intention => (drawn < pay ? 'pay' : drawn < pay + cancel ? 'cancel' : 'nothing');
  return Array.from({ length: users }, () => ({
    reactionMs: reactionMs.min + random.belowNumber(reactionMs.max - reactionMs.min + 1),
    purchases: Array.from({ length: 1 + random.belowNumber(PURCHASES_MAX) }, () => ({
      pick: random.belowNumber(DRAWS),
      quantity: QUANTITIES[random.belowNumber(QUANTITIES.length)]!,
      repeats: chance() < repeat,
      intention: intention(chance()),
    })),
    hostile: chance() < hostile ? HOSTILE[random.belowNumber(HOSTILE.length)] : undefined,
  }));
}
