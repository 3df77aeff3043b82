/** How many samples are kept; older ones are wrong because the clocks drift. */
const SAMPLES_MAX = 8;

/**
 * Cristian's algorithm: the server read its clock (`serverTime`, epoch ms) somewhere between request and answer.
 * @returns how far it is ahead of ours, with an error of at most half of `roundTripMs`
 */
export function sampleOf(serverTime: number, sentAt: number, receivedAt: number) {
  return { offsetMs: serverTime - (sentAt + receivedAt) / 2, roundTripMs: receivedAt - sentAt };
}

/**
 * The server's clock by the fastest of the last pings. Monotonic, so that a phone that sets its wall clock disturbs no
 * countdown.
 */
export class ServerClock {
  readonly #localNow: () => number;
  #samples: ReturnType<typeof sampleOf>[] = [];
  #answered = false;
  #offsetMs: number;

  /** @param localNow monotonic ms; `guess`: epoch ms, valid until the first message of the server */
  constructor(localNow: () => number, guess: number) {
    this.#localNow = localNow;
    this.#offsetMs = guess - localNow();
  }

  now(): number {
    return this.#localNow() + this.#offsetMs;
  }

  /** A message is one trip old: better than a guess and worse than any answered ping. @param serverTime epoch ms */
  estimate(serverTime: number): void {
    if (!this.#answered) this.#offsetMs = serverTime - this.#localNow();
  }

  /** @param serverTime epoch ms; `sentAt`: when the ping was sent, by the local clock, ms */
  answered(serverTime: number, sentAt: number): void {
    this.#answered = true;
    this.#samples = [...this.#samples, sampleOf(serverTime, sentAt, this.#localNow())].slice(-SAMPLES_MAX);
    this.#offsetMs = this.#samples.reduce((best, sample) =>
      sample.roundTripMs < best.roundTripMs ? sample : best,
    ).offsetMs;
  }

  /** Drops the samples but keeps the estimate: after a sleep or a change of server only new answers count. */
  doubt(): void {
    this.#samples = [];
  }
}
