import type { Session } from '../sockets/session.ts';
import { SLICE_MS, SOCKETS_PER_CLOCK_READ } from './limits.ts';

interface Delivery {
  /** A later delivery with the same name replaces one that has not begun: only the newest state matters. */
  name?: string;
  sessions: readonly Session[];
  deliver: (session: Session) => void;
  /** Dropped, even when it has begun, as soon as there is another delivery. */
  droppable?: boolean;
}

interface BroadcastRules {
  sliceMs: number;
  /** Monotonic ms. */
  now: () => number;
  nextTurn: (go: () => void) => void;
}

/**
 * Sends to many sockets, one delivery after the other, in one slice per turn of the event loop: messages are handled
 * between slices. A slice is bounded by time, not by a number of sockets, since the cost of a write depends on the
 * machine and on the readers.
 */
export class Broadcast {
  readonly #rules: BroadcastRules;
  #waiting: Delivery[] = [];
  #current: Delivery | undefined;
  #at = 0;
  #scheduled = false;

  constructor(rules: Partial<BroadcastRules> = {}) {
    this.#rules = { sliceMs: SLICE_MS, now: () => performance.now(), nextTurn: setImmediate, ...rules };
  }

  /** Some deliveries are not finished. */
  get underWay(): boolean {
    return this.#current !== undefined || this.#waiting.length > 0;
  }

  /** The first slice runs at once if nothing else is under way. */
  add(delivery: Delivery): void {
    if (delivery.droppable && this.underWay) return;
    this.#waiting = this.#waiting.filter(({ droppable }) => !droppable);
    if (this.#current?.droppable) this.#current = undefined;
    const older = delivery.name === undefined ? -1 : this.#waiting.findIndex(({ name }) => name === delivery.name);
    if (older >= 0) this.#waiting[older] = delivery;
    else this.#waiting.push(delivery);
    if (!this.#scheduled) this.#slice();
  }

  readonly #slice = (): void => {
    this.#scheduled = false;
    const { sliceMs, now, nextTurn } = this.#rules;
    const until = now() + sliceMs;
    for (;;) {
      if (!this.#current) {
        this.#current = this.#waiting.shift();
        this.#at = 0;
      }
      if (!this.#current) return;
      const { sessions, deliver } = this.#current;
      const to = Math.min(this.#at + SOCKETS_PER_CLOCK_READ, sessions.length);
      while (this.#at < to) deliver(sessions[this.#at++]!);
      if (this.#at >= sessions.length) this.#current = undefined;
      if (now() >= until) break;
    }
    if (!this.#current && this.#waiting.length === 0) return;
    this.#scheduled = true;
    nextTurn(this.#slice);
  };
}
