import type { Session } from './session.ts';

/** Looks until the longest pause is over, and one more. */
const SLOTS = 64;

/**
 * Sockets that are not read for a moment. What they say meanwhile lies in the kernel's buffer and is read afterwards, in one
 * piece; nothing is lost. All of them share one timer, and a socket stands in one slot at most [R10].
 */
export class Pauses {
  readonly #slots: Session[][] = Array.from({ length: SLOTS }, () => []);
  readonly #everyMs: number;
  #at = 0;
  /** Sockets that rest now; one that has closed meanwhile counts until its time is over. */
  size = 0;

  /** @param everyMs how often `look` is called */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** @param forMs rounded up to a look, at most 62 of them */
  rest(session: Session, forMs: number): void {
    const { socket } = session;
    // Who is on his way out is heard to the end.
    if (socket.isPaused || session.closedWith !== undefined) return;
    socket.pause();
    this.#slots[(this.#at + Math.min(SLOTS - 1, Math.ceil(forMs / this.#everyMs))) % SLOTS]!.push(session);
    this.size++;
  }

  /** Reads on at those whose time is over. */
  look(): void {
    this.#at = (this.#at + 1) % SLOTS;
    this.#wake(this.#at);
  }

  /** Reads on at all of them. */
  end(): void {
    for (let slot = 0; slot < SLOTS; slot++) this.#wake(slot);
  }

  #wake(slot: number): void {
    const rested = this.#slots[slot]!;
    this.#slots[slot] = [];
    this.size -= rested.length;
    for (const { socket } of rested) socket.resume();
  }
}
