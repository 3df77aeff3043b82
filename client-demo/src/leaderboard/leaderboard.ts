import type { Luckiest } from './luckiest.ts';

/** Everybody's rain is over in the same second: nobody asks at once, and nobody asks often. */
const FIRST_MS_MAX = 4_000;
const AGAIN_MS = 5_000;
const ASKS_MAX = 8;

interface LeaderboardOptions {
  read: (rainId: string) => Promise<Luckiest>;
  random: () => number;
}

/** Who was luckiest in the rain that is over; asked for until nothing changes any more, or a few times [R10]. */
export class Leaderboard {
  readonly #options: LeaderboardOptions;
  #rainId: string | undefined;
  #found: Luckiest | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LeaderboardOptions) {
    this.#options = options;
  }

  get found(): Luckiest | undefined {
    return this.#found;
  }

  /** May be told as often as one likes. @param rainId the rain that is over; `undefined`: none is */
  tell(rainId: string | undefined): void {
    if (rainId === this.#rainId) return;
    clearTimeout(this.#timer);
    this.#rainId = rainId;
    this.#found = undefined;
    if (rainId !== undefined) this.#later(rainId, 1, this.#options.random() * FIRST_MS_MAX);
  }

  #later(rainId: string, asks: number, afterMs: number): void {
    this.#timer = setTimeout(() => void this.#ask(rainId, asks), afterMs);
  }

  async #ask(rainId: string, asks: number): Promise<void> {
    const found = await this.#options.read(rainId).catch(() => undefined);
    if (rainId !== this.#rainId) return;
    this.#found = found ?? this.#found;
    if (!found?.final && asks < ASKS_MAX) this.#later(rainId, asks + 1, AGAIN_MS * asks * (0.5 + this.#options.random()));
  }
}
