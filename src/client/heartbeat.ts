/** The first pings follow quickly, so that a countdown is right from its beginning. */
const FIRST_PINGS = 5;
const FIRST_PING_MS = 150;
const PING_MS = 8_000;

export class Heartbeat {
  readonly #ping: () => void;
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(ping: () => void) {
    this.#ping = ping;
  }

  start(): void {
    this.stop();
    this.#timers = Array.from({ length: FIRST_PINGS }, (_, i) => setTimeout(this.#ping, i * FIRST_PING_MS));
    this.#timers.push(setInterval(this.#ping, PING_MS));
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }
}
