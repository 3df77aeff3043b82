import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { GrabMessage, SolutionMessage } from '../protocol/messages.ts';
import type { HeardMessage } from './serverMessage.ts';
import type { LoadtestEnvironment } from './environment.ts';

/** A user's ticket for the rain, and what he does to get it. */
export class TicketClient {
  readonly #around: LoadtestEnvironment;
  readonly #say: (solution: SolutionMessage) => void;
  readonly #onFault: (fault: unknown) => void;
  readonly #stop = new AbortController();
  #ticket: { text: string; expiresAt: number } | undefined;
  #solving = false;
  #wanting = false;

  constructor(around: LoadtestEnvironment, say: (solution: SolutionMessage) => void, onFault: (fault: unknown) => void) {
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
  hear(message: Extract<HeardMessage, { type: 'ticket' | 'challenge' }>): boolean {
    if (message.rainId !== this.#around.rainId) return false;
    if (message.type === 'challenge') {
      this.#wanting = true;
      if (!this.#solving) void this.#solve(message);
      return false;
    }
    this.#wanting = false;
    this.#ticket = { text: message.ticket, expiresAt: message.expiresAt };
    this.#around.overheard.ticket = message.ticket;
    return true;
  }

  /** The gateway takes his ticket for none. */
  lose(): void {
    this.#ticket = undefined;
    this.#wanting = true;
  }

  /** What a grab carries beside the rain. */
  carried(): Pick<GrabMessage, 'ticket'> {
    return this.#ticket ? { ticket: this.#ticket.text } : {};
  }

  end(): void {
    this.#stop.abort();
  }

  async #solve({ rainId, challenge }: Extract<HeardMessage, { type: 'challenge' }>): Promise<void> {
    this.#solving = true;
    try {
      const solved = await solveChallenge({ challenge, deriveKey, controller: this.#stop });
      if (!solved) return;
      this.#around.counters.challenges++;
      this.#say({ type: 'solution', rainId, challenge, solution: { counter: solved.counter, derivedKey: solved.derivedKey } });
    } catch (fault) {
      this.#onFault(fault);
    } finally {
      this.#solving = false;
    }
  }
}
