import { POLL_MS } from './limits.ts';

interface PollerRules {
  /** Reads the state from Redis and applies it. */
  read: () => Promise<void>;
  /** Runs at intervals in place of `read`, where less work is enough. */
  wake?: () => Promise<void>;
  onFault: (error: unknown) => void;
  /** Interval, ms: the maximum delay after a lost event. */
  everyMs?: number;
}

/**
 * Follows operator settings that every gateway obeys (block list, kill switches). They are read at the start, with each event, and
 * at intervals in case an event was lost.
 */
export class Poller {
  readonly #rules: Required<PollerRules>;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ read, wake = read, everyMs = POLL_MS, onFault }: PollerRules) {
    this.#rules = { read, wake, everyMs, onFault };
  }

  /** @throws when Redis cannot be read: a gateway must not open without the operator's settings */
  async start(): Promise<void> {
    await this.#rules.read();
    this.#schedule();
  }

  /** Reads the settings again. Never throws: without Redis the last settings stay in force. */
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

  async #attempt(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#rules.onFault(error);
    }
  }
}
