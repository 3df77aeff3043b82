import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { appearsAt, packetsAt } from '../protocol/fall.ts';
import type { SolutionMessage } from '../protocol/messages.ts';
import type { HeardMessage, HeardRain } from './server-message.ts';
import type { Surroundings } from './surroundings.ts';

/** What a grab carries beside the rain. */
export interface Carried {
  ticket?: string;
  packet?: number;
}

/** A clock that is a little ahead would tap a packet before it is there for the gateway. */
const LOOK_AGAIN_MS = 20;

/** A user's ticket for the rain, what he does to get it, and the packet that he taps. */
export class Pocket {
  readonly #around: Surroundings;
  readonly #say: (solution: SolutionMessage) => void;
  readonly #onFault: (fault: unknown) => void;
  readonly #stop = new AbortController();
  #ticket: { text: string; expiresAt: number; seed: number | undefined } | undefined;
  #packet: number | undefined;
  #solving = false;
  #wanting = false;

  constructor(around: Surroundings, say: (solution: SolutionMessage) => void, onFault: (fault: unknown) => void) {
    this.#around = around;
    this.#say = say;
    this.#onFault = onFault;
  }

  /** He has been told that he needs a ticket, and has none yet. */
  get wanting(): boolean {
    return this.#wanting;
  }

  /** To be shown when he joins again. */
  get ticket(): string | undefined {
    return this.#ticket && this.#ticket.expiresAt > this.#around.clock.now() ? this.#ticket.text : undefined;
  }

  /** @returns true when he has his ticket now */
  hear(message: Extract<HeardMessage, { type: 'ticket' | 'puzzle' }>): boolean {
    if (message.rainId !== this.#around.rainId) return false;
    if (message.type === 'puzzle') {
      this.#wanting = true;
      if (!this.#solving) void this.#solve(message);
      return false;
    }
    this.#wanting = false;
    if (this.#ticket?.text !== message.ticket) this.#packet = undefined;
    this.#ticket = { text: message.ticket, expiresAt: message.expiresAt, seed: message.seed };
    this.#around.overheard.ticket = message.ticket;
    return true;
  }

  /** The gateway takes his ticket for none. */
  lose(): void {
    this.#ticket = undefined;
    this.#wanting = true;
  }

  /** The packet that he has tapped is not there: he taps another. */
  miss(): void {
    this.#packet = undefined;
  }

  /** How long until there is a packet to be tapped, ms; 0: there is one, or none is asked for. */
  waitMs({ opensAt, state }: HeardRain): number {
    const seed = this.#ticket?.seed;
    if (seed === undefined || this.#packet !== undefined || state === 'closed' || state === 'settled') return 0;
    const now = this.#around.clock.now();
    const seen = packetsAt(seed, opensAt, now);
    if (seen.length === 0) return Math.max(LOOK_AGAIN_MS, appearsAt(seed, opensAt, 0) - now);
    // The same packet, however often he has to ask: it is one tap.
    this.#packet = seen[this.#around.random.belowNumber(seen.length)]!.packet;
    return 0;
  }

  carried(): Carried {
    return { ...(this.#ticket && { ticket: this.#ticket.text }), ...(this.#packet !== undefined && { packet: this.#packet }) };
  }

  end(): void {
    this.#stop.abort();
  }

  async #solve({ rainId, challenge }: Extract<HeardMessage, { type: 'puzzle' }>): Promise<void> {
    this.#solving = true;
    try {
      const solved = await solveChallenge({ challenge, deriveKey, controller: this.#stop });
      if (!solved) return;
      this.#around.tally.puzzles++;
      this.#say({ type: 'solution', rainId, challenge, solution: { counter: solved.counter, derivedKey: solved.derivedKey } });
    } catch (fault) {
      this.#onFault(fault);
    } finally {
      this.#solving = false;
    }
  }
}
