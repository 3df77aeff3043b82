import { POLL_MS } from './limits.ts';

/**
 * Follows settings of the operator: they are read at the start, with each event, and at intervals in case an event was
 * lost.
 */
export abstract class Poller {
  readonly #onFault: (error: unknown) => void;
  readonly #pollMs: number;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ onFault, pollMs = POLL_MS }: { onFault: (error: unknown) => void; pollMs?: number }) {
    this.#onFault = onFault;
    this.#pollMs = pollMs;
  }

  /** Reads the settings from Redis and applies them. */
  protected abstract read(): Promise<void>;

  /** The work done at intervals. */
  protected abstract wake(): Promise<void>;

  /** @throws when Redis cannot be read: a gateway must not open without the operator's settings */
  async start(): Promise<void> {
    await this.read();
    this.#schedule();
  }

  /** Reads the settings again. Never throws: without Redis the last settings stay in force. */
  refresh(): Promise<void> {
    return this.read().catch(this.#onFault);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(
      () =>
        void this.wake()
          .catch(this.#onFault)
          .then(() => this.#schedule()),
      this.#pollMs,
    );
  }
}
