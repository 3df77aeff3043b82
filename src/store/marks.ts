import { markKey } from './keys.ts';

/** With a single slot one key in 16,384 is in it: that none of so many is happens once in e⁶¹ times. */
const TRIES_MAX = 1_000_000;

/**
 * Keys of marks by their slots. A key is tried once and remembered: a master that was just added has one slot, and
 * takes ten thousand tries.
 */
export class Marks {
  readonly #bySlot = new Map<number, string>();
  readonly #slotOf: (key: string) => number;
  #tried = 0;

  constructor(slotOf: (key: string) => number) {
    this.#slotOf = slotOf;
  }

  /** The key in one of these slots; in another one than `not` if there is another. @throws without a slot */
  in(slots: ReadonlySet<number>, not?: number): { key: string; slot: number } {
    const suits = (slot: number) => slots.has(slot) && (slot !== not || slots.size === 1);
    for (const slot of slots) if (this.#bySlot.has(slot) && suits(slot)) return { key: this.#bySlot.get(slot)!, slot };
    while (slots.size > 0 && this.#tried < TRIES_MAX) {
      const key = markKey(this.#tried++);
      const slot = this.#slotOf(key);
      if (!this.#bySlot.has(slot)) this.#bySlot.set(slot, key);
      if (suits(slot)) return { key, slot };
    }
    throw new Error('no key is in any of these slots');
  }
}
