/** What was heard lately, each for a time of its own, and so many at most [R10]; the oldest goes first. */
export class ExpiringCache<T> {
  readonly #heard = new Map<string, { what: T; until: number }>();
  readonly #max: number;
  readonly #now: () => number;

  /** @param now monotonic ms */
  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#now = now;
  }

  get(name: string): T | undefined {
    const found = this.#heard.get(name);
    if (!found || found.until > this.#now()) return found?.what;
    this.#heard.delete(name);
    return undefined;
  }

  set(name: string, what: T, forMs: number): void {
    this.#heard.delete(name);
    this.#heard.set(name, { what, until: this.#now() + forMs });
    if (this.#heard.size > this.#max) this.#heard.delete(this.#heard.keys().next().value!);
  }
}
