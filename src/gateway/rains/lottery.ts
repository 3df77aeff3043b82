/** A uniformly random integer in 0 … n − 1. */
export type RandomIndex = (n: number) => number;

/**
 * Grabs in random order: at each draw all remaining lots are equally likely. A user has one lot, however many grabs the
 * user sends.
 */
export class Lottery<A extends { readonly userId: string }> {
  readonly #chance: RandomIndex;
  readonly #ofUser = new Map<string, A[]>();
  /** From `drawn` on: the lots that are not drawn yet, in random order. */
  #order: A[][] = [];
  drawn = 0;

  constructor(chance: RandomIndex) {
    this.#chance = chance;
  }

  /** Number of all lots, drawn and not drawn. */
  get total(): number {
    return this.#order.length;
  }

  add(pending: A): void {
    const ownLot = this.#ofUser.get(pending.userId);
    if (ownLot) return void ownLot.push(pending);
    const lot = [pending];
    this.#ofUser.set(pending.userId, lot);
    // Incremental Fisher–Yates: the new lot takes a random place, and the lot that was there moves to the end.
    const order = this.#order;
    const place = this.drawn + this.#chance(order.length - this.drawn + 1);
    order.push(lot);
    order[order.length - 1] = order[place]!;
    order[place] = lot;
  }

  /** One user's grabs in order of arrival: the first of them decides, the others get the same answer. */
  draw(): readonly A[] | undefined {
    const lot = this.#order[this.drawn];
    if (!lot) return undefined;
    this.drawn++;
    this.#ofUser.delete(lot[0]!.userId);
    return lot;
  }
}
