import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { GrabMessage, SolutionMessage } from '../../protocol/messages.ts';
import { CLOCK_MARGIN_MS } from '../../client/ticket.ts';
import type { ReceivedMessage, ReceivedRain, ReceivedTicket } from './serverMessage.ts';
import type { LoadtestEnvironment } from '../environment.ts';

export class TicketClient {
  readonly #environment: LoadtestEnvironment;
  readonly #send: (solution: SolutionMessage) => void;
  readonly #onFault: (fault: unknown) => void;
  readonly #stop = new AbortController();
  #ticket: { text: string; expiresAt: number } | undefined;
  #solving = false;
  /** The user needs a ticket and has none yet. */
  wanting = false;

  constructor(
    environment: LoadtestEnvironment,
    send: (solution: SolutionMessage) => void,
    onFault: (fault: unknown) => void,
  ) {
    this.#environment = environment;
    this.#send = send;
    this.#onFault = onFault;
  }

  /** The ticket for the next join, if it is valid. */
  get ticket(): string | undefined {
    return this.#ticket && this.#ticket.expiresAt > this.#environment.clock.now() ? this.#ticket.text : undefined;
  }

  /** @returns true when the user has the ticket now */
  receive(message: ReceivedTicket): boolean {
    if (message.rainId !== this.#environment.rainId) return false;
    if (message.type === 'challenge') {
      this.wanting = true;
      if (!this.#solving) void this.#solve(message);
      return false;
    }
    this.wanting = false;
    this.#ticket = { text: message.ticket, expiresAt: message.expiresAt };
    this.#environment.overheard.ticket = message.ticket;
    return true;
  }

  /**
   * Until the user joins again for a ticket that is not issued yet, ms: at a random moment, so that not all come at
   * once.
   */
  dueInMs({ opensAt, ticketRules }: ReceivedRain): number {
    const early = ticketRules && this.ticket === undefined ? ticketRules.from - this.#environment.clock.now() : 0;
    return ticketRules && early > 0
      ? early +
          CLOCK_MARGIN_MS +
          this.#environment.random.belowNumber(Math.floor(Math.max(0, opensAt - ticketRules.from) / 2) + 1)
      : Infinity;
  }

  lose(): void {
    this.#ticket = undefined;
    this.wanting = true;
  }

  /** The fields of a grab besides the rain. */
  carried(): Pick<GrabMessage, 'ticket'> {
    return this.#ticket ? { ticket: this.#ticket.text } : {};
  }

  end(): void {
    this.#stop.abort();
  }

  async #solve({ rainId, challenge }: Extract<ReceivedMessage, { type: 'challenge' }>): Promise<void> {
    this.#solving = true;
    try {
      const solved = await solveChallenge({ challenge, deriveKey, controller: this.#stop });
      if (!solved) return;
      this.#environment.counters.challenges++;
      this.#send({
        type: 'solution',
        rainId,
        challenge,
        solution: { counter: solved.counter, derivedKey: solved.derivedKey },
      });
    } catch (fault) {
      this.#onFault(fault);
    } finally {
      this.#solving = false;
    }
  }
}
