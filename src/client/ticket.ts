import type { ChallengeMessage, SolutionMessage, TicketMessage } from '../protocol/messages.ts';
import type { ChallengeSolution } from '../protocol/proofOfWork.ts';

interface TicketHolderOptions {
  /** Epoch ms by the server's clock. */
  now: () => number;
  /** Works on a challenge elsewhere; `undefined`: in vain. */
  solve: (challenge: ChallengeMessage) => Promise<ChallengeSolution | undefined>;
  send: (message: SolutionMessage) => boolean;
  /** Another challenge is needed. */
  onVain: () => void;
}

/** One user's ticket to one rain, and the work that it may take. It outlives connections, as long as it is good. */
export class TicketHolder {
  readonly #options: TicketHolderOptions;
  #rainId: string | undefined;
  #ticket: TicketMessage | undefined;
  #solving: string | undefined;
  #lost = false;

  constructor(options: TicketHolderOptions) {
    this.#options = options;
  }

  /** The ticket, as long as it is good. */
  get ticket(): string | undefined {
    return this.#ticket && this.#ticket.expiresAt > this.#options.now() ? this.#ticket.ticket : undefined;
  }

  /** A ticket is on its way: it is better waited for than asked without. */
  get preparing(): boolean {
    return this.ticket === undefined && (this.#lost || this.#solving !== undefined);
  }

  /** Another rain, or another player: what was handed out before is nobody's any more. */
  begin(rainId: string): void {
    if (this.#rainId === rainId) return;
    this.#rainId = rainId;
    this.forget();
  }

  forget(): void {
    this.#ticket = undefined;
    this.#solving = undefined;
    this.#lost = false;
  }

  /** The gateway takes what we have for no ticket. */
  lose(): void {
    this.#ticket = undefined;
    this.#lost = true;
  }

  /** No ticket has come for so long that perhaps none is asked for any more: the next tap will tell. */
  relent(): void {
    this.#lost = false;
  }

  hear(message: TicketMessage | ChallengeMessage): void {
    if (message.rainId !== this.#rainId) return;
    if (message.type === 'challenge') return void this.#work(message);
    this.#ticket = message;
    this.#lost = false;
    this.#solving = undefined;
  }

  /** A solution may be late for its challenge, or its connection: the next join brings another challenge. */
  async #work(challenge: ChallengeMessage): Promise<void> {
    const { signature } = challenge.challenge;
    if (this.ticket !== undefined || this.#solving === signature) return;
    this.#solving = signature;
    const solution = await this.#options.solve(challenge).catch(() => undefined);
    if (this.#solving !== signature) return;
    this.#solving = undefined;
    this.#lost = true;
    if (!solution) return this.#options.onVain();
    this.#options.send({ type: 'solution', rainId: challenge.rainId, challenge: challenge.challenge, solution });
  }
}
