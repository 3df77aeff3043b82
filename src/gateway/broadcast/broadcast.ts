import type { Session } from '../sockets/session.ts';

interface Telling {
  /** A later telling of the same name takes the place of one that has not begun: nobody needs yesterday's news. */
  name?: string;
  sessions: readonly Session[];
  tell: (session: Session) => void;
  /** Dropped, begun or not, as soon as there is anything else to tell. */
  shed?: boolean;
}

interface BroadcastRules {
  /** Work per turn of the event loop, ms: so long may telling everybody hold up a grab. */
  sliceMs?: number;
  /** Monotonic ms. */
  now?: () => number;
  nextTurn?: (go: () => void) => void;
}

/** Sockets told between two looks at the clock: about a tenth of a millisecond's work. */
const LOOK_EVERY = 16;

/**
 * Tells many sockets the same, a slice of time per turn of the event loop, one thing after the other however many there are:
 * between two slices whatever has arrived is heard and answered. A slice is bounded by time, not by a number of sockets, since
 * what a write costs depends on the machine and on who reads.
 */
export class Broadcast {
  readonly #rules: Required<BroadcastRules>;
  #waiting: Telling[] = [];
  #current: Telling | undefined;
  #at = 0;
  #scheduled = false;

  constructor(rules: BroadcastRules = {}) {
    this.#rules = { sliceMs: 5, now: () => performance.now(), nextTurn: setImmediate, ...rules };
  }

  /** Somebody has not been told yet. */
  get underWay(): boolean {
    return this.#current !== undefined || this.#waiting.length > 0;
  }

  /** The first slice is told at once if nothing else is under way. */
  add(telling: Telling): void {
    if (telling.shed && this.underWay) return;
    this.#waiting = this.#waiting.filter(({ shed }) => !shed);
    if (this.#current?.shed) this.#current = undefined;
    const older = telling.name === undefined ? -1 : this.#waiting.findIndex(({ name }) => name === telling.name);
    if (older >= 0) this.#waiting[older] = telling;
    else this.#waiting.push(telling);
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
      const { sessions, tell } = this.#current;
      const to = Math.min(this.#at + LOOK_EVERY, sessions.length);
      while (this.#at < to) tell(sessions[this.#at++]!);
      if (this.#at >= sessions.length) this.#current = undefined;
      if (now() >= until) break;
    }
    if (!this.#current && this.#waiting.length === 0) return;
    this.#scheduled = true;
    nextTurn(this.#slice);
  };
}
