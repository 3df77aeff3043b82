import type {
  ChallengeMessage,
  GrabMessage,
  RainSnapshot,
  SolutionMessage,
  TicketMessage,
} from '../protocol/messages.ts';
import type { Challenge, ChallengeSolution } from '../protocol/proofOfWork.ts';

/** Between a change of the rules and the join that follows, ms at most: not all clients at once. */
const CHANGE_SPREAD_MS = 2_000;
/** Past the moment at which tickets are issued, ms: our clock is not quite the server's. */
export const CLOCK_MARGIN_MS = 500;
/** Longer waits are made of several. */
const WAIT_MS_MAX = 3_600_000;

interface TicketHolderOptions {
  /** The rain, or the sale. */
  id: Pick<SolutionMessage, 'rainId' | 'saleId'>;
  /** Epoch ms by the server's clock. */
  now: () => number;
  solve: (challenge: Challenge) => Promise<ChallengeSolution | undefined>;
  send: (message: SolutionMessage) => boolean;
  onUnsolved: () => void;
  /** In [0, 1). */
  random: () => number;
  /** A ticket can be had now: join again. */
  onDue: () => void;
}

/** One user's ticket for one rain or sale, and the challenge for it. It outlives connections until it expires. */
export class TicketHolder {
  readonly #options: TicketHolderOptions;
  #ticket: TicketMessage | undefined;
  #solving: string | undefined;
  #lost = false;
  /** The rules of the last snapshot, as text. */
  #rules: string | undefined;
  #due: ReturnType<typeof setTimeout> | undefined;

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

  /**
   * With each snapshot: asks for a ticket when the first ones are issued, and after a change of the rules, each at a
   * random moment.
   */
  follow({ opensAt, ticketRules }: Pick<RainSnapshot, 'opensAt' | 'ticketRules'>): void {
    const { now, random, onDue } = this.#options;
    const rules = JSON.stringify(ticketRules ?? null);
    const changed = this.#rules !== undefined && rules !== this.#rules;
    this.#rules = rules;
    if (!ticketRules) return this.rest();
    const early = ticketRules.from - now();
    // Otherwise the join that brought the snapshot brings the ticket, or we wait already.
    if (!changed && (early <= 0 || this.#due !== undefined)) return;
    clearTimeout(this.#due);
    const waitMs =
      early > 0
        ? early + CLOCK_MARGIN_MS + (random() * Math.max(0, opensAt - ticketRules.from)) / 2
        : random() * CHANGE_SPREAD_MS;
    this.#due = setTimeout(
      () => {
        this.#due = undefined;
        onDue();
      },
      Math.min(waitMs, WAIT_MS_MAX),
    );
  }

  /** Without a connection nothing is due: the next join brings a snapshot. */
  rest(): void {
    clearTimeout(this.#due);
    this.#due = undefined;
  }

  forget(): void {
    this.rest();
    this.#ticket = undefined;
    this.#solving = undefined;
    this.#lost = false;
  }

  lose(): void {
    this.#ticket = undefined;
    this.#lost = true;
  }

  /**
   * After a long wait without a ticket, the next tap is sent without one, because the gateway may not require it any
   * more.
   */
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
    this.#options.send({ type: 'solution', ...this.#options.id, challenge, solution });
  }
}
