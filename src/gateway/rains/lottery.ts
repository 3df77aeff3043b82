/** Uniform in 0 … n − 1. */
export type RandomIndex = (n: number) => number;

/**
 * Who gathers at an opening, in an order that chance decides. Whenever a lot is drawn, each of those that are there is as
 * likely to be the one, however early it came. A user has one lot, however often he asks.
 */
export class Lottery<A extends { readonly userId: string }> {
  readonly #chance: RandomIndex;
  readonly #ofUser = new Map<string, A[]>();
  /** From `#next` on a random order of what has not been drawn. */
  #order: A[][] = [];
  #next = 0;

  constructor(chance: RandomIndex) {
    this.#chance = chance;
  }

  /** Lots that have been drawn. */
  get drawn(): number {
    return this.#next;
  }

  /** Drawn and not drawn. */
  get total(): number {
    return this.#order.length;
  }

  add(pending: A): void {
    const mine = this.#ofUser.get(pending.userId);
    if (mine) return void mine.push(pending);
    const lot = [pending];
    this.#ofUser.set(pending.userId, lot);
    // Fisher–Yates as the lots come in: a new one takes any place, and who stood there goes to the end.
    const order = this.#order;
    const place = this.#next + this.#chance(order.length - this.#next + 1);
    order.push(lot);
    order[order.length - 1] = order[place]!;
    order[place] = lot;
  }

  /** One user's grabs, in the order in which they came: the first of them decides, the others hear the same. */
  draw(): readonly A[] | undefined {
    const lot = this.#order[this.#next];
    if (!lot) return undefined;
    this.#next++;
    this.#ofUser.delete(lot[0]!.userId);
    return lot;
  }
}
