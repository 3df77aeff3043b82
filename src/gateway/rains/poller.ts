interface PollerRules {
  /** Takes over what Redis says now. */
  read: () => Promise<void>;
  /** What is done now and then instead of `read`, where that is less. */
  wake?: () => Promise<void>;
  onFault: (error: unknown) => void;
  /** How often, ms: the longest a lost event can go unnoticed. */
  everyMs?: number;
}

/** Something of the operator's that every gateway follows, whom he keeps out and what he has switched off: read at the start, with each event, and now and then in case one was lost. */
export class Poller {
  readonly #rules: Required<PollerRules>;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ read, wake = read, everyMs = 1_000, onFault }: PollerRules) {
    this.#rules = { read, wake, everyMs, onFault };
  }

  /** @throws when Redis cannot be read: a gateway must not open without knowing the operator's word */
  async start(): Promise<void> {
    await this.#rules.read();
    this.#schedule();
  }

  /** Reads it again. Never throws: without Redis the last word stays in force. */
  async refresh(): Promise<void> {
    await this.#attempt(this.#rules.read);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#attempt(this.#rules.wake).then(() => this.#schedule()), this.#rules.everyMs);
  }

  async #attempt(what: () => Promise<void>): Promise<void> {
    try {
      await what();
    } catch (error) {
      this.#rules.onFault(error);
    }
  }
}
