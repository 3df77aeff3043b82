/** How many samples are kept; older ones are wrong because the clocks drift. */
const SAMPLES_MAX = 8;
/** Samples that differ by more than this, beyond their errors, do not describe the same two clocks. */
const ROUNDING_MS = 10;
/** A clock that is so far behind a message has stood still. */
const BEHIND_MS_MAX = 250;

/**
 * Cristian's algorithm: the server read its clock (`serverTime`, epoch ms) somewhere between request and answer.
 * @returns how far it is ahead of ours, with an error of at most half of `roundTripMs`
 */
export function sampleOf(serverTime: number, sentAt: number, receivedAt: number) {
  return { offsetMs: serverTime - (sentAt + receivedAt) / 2, roundTripMs: receivedAt - sentAt };
}

type Sample = ReturnType<typeof sampleOf>;

/** Otherwise one of the clocks has stood still or was set between them. */
function agree(a: Sample, b: Sample): boolean {
  return Math.abs(a.offsetMs - b.offsetMs) <= (a.roundTripMs + b.roundTripMs) / 2 + ROUNDING_MS;
}

/**
 * The server's clock by the fastest of the last pings. Monotonic, so that a phone that sets its wall clock disturbs no
 * countdown. A monotonic clock stands still while the phone sleeps, so a message that proves this clock slow resets it.
 */
export class ServerClock {
  readonly #localNow: () => number;
  #samples: Sample[] = [];
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

  /**
   * A message is one trip old: better than a guess, and worse than any answered ping of the time since the last sleep.
   *
   * @param serverTime epoch ms
   */
  estimate(serverTime: number): void {
    const isBehind = serverTime - this.now() > BEHIND_MS_MAX;
    if (this.#answered && !isBehind) return;
    this.#samples = [];
    this.#offsetMs = serverTime - this.#localNow();
  }

  /** @param serverTime epoch ms; `sentAt`: when the ping was sent, by the local clock, ms */
  answered(serverTime: number, sentAt: number): void {
    this.#answered = true;
    const newest = sampleOf(serverTime, sentAt, this.#localNow());
    this.#samples = [...this.#samples.filter((sample) => agree(sample, newest)), newest].slice(-SAMPLES_MAX);
    this.#offsetMs = this.#samples.reduce((best, sample) =>
      sample.roundTripMs < best.roundTripMs ? sample : best,
    ).offsetMs;
  }

  /** Drops the samples but keeps the estimate: after a sleep or a change of server only new answers count. */
  doubt(): void {
    this.#samples = [];
  }
}
