import type { ChallengeMessage, GrabMessage, SolutionMessage, TicketMessage } from '../protocol/messages.ts';
import type { Challenge, ChallengeSolution } from '../protocol/proofOfWork.ts';

interface TicketHolderOptions {
  rainId: string;
  /** Epoch ms by the server's clock. */
  now: () => number;
  solve: (challenge: Challenge) => Promise<ChallengeSolution | undefined>;
  send: (message: SolutionMessage) => boolean;
  onUnsolved: () => void;
}

/** One user's ticket for one rain, and the challenge for it. It outlives connections until it expires. */
export class TicketHolder {
  readonly #options: TicketHolderOptions;
  #ticket: TicketMessage | undefined;
  #solving: string | undefined;
  #lost = false;

  constructor(options: TicketHolderOptions) {
    this.#options = options;
  }

  get ticket(): string | undefined {
    return this.#ticket && this.#ticket.expiresAt > this.#options.now() ? this.#ticket.ticket : undefined;
  }

  carried(): Pick<GrabMessage, 'ticket'> {
    const { ticket } = this;
    return ticket === undefined ? {} : { ticket };
  }

  /** A ticket is on its way, so a grab waits for it. */
  get preparing(): boolean {
    return this.ticket === undefined && (this.#lost || this.#solving !== undefined);
  }

  forget(): void {
    this.#ticket = undefined;
    this.#solving = undefined;
    this.#lost = false;
  }

  lose(): void {
    this.#ticket = undefined;
    this.#lost = true;
  }

  /** After a long wait without a ticket, the next tap is sent without one, because the gateway may not require it any more. */
  stopWaiting(): void {
    this.#lost = false;
  }

  receive(message: TicketMessage | ChallengeMessage): void {
    if (message.type === 'challenge') return void this.#solve(message.challenge);
    this.#ticket = message;
    this.#lost = false;
    this.#solving = undefined;
  }

  /** A solution may come too late for its challenge or its connection; then the next join brings another challenge. */
  async #solve(challenge: Challenge): Promise<void> {
    const { signature } = challenge;
    if (this.ticket !== undefined || this.#solving === signature) return;
    this.#solving = signature;
    const solution = await this.#options.solve(challenge).catch(() => undefined);
    if (this.#solving !== signature) return;
    this.#solving = undefined;
    this.#lost = true;
    if (!solution) return this.#options.onUnsolved();
    this.#options.send({ type: 'solution', rainId: this.#options.rainId, challenge, solution });
  }
}
