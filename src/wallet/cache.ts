/** A cache of limited size [R10] in which each value has its own lifetime; the oldest value is removed first. */
export class ExpiringCache<T> {
  readonly #values = new Map<string, { value: T; until: number }>();
  readonly #max: number;
  readonly #now: () => number;

  /** @param now monotonic ms */
  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#now = now;
  }

  get(key: string): T | undefined {
    const found = this.#values.get(key);
    if (!found || found.until > this.#now()) return found?.value;
    this.#values.delete(key);
    return undefined;
  }

  set<V extends T>(key: string, value: V, forMs: number): V {
    this.#values.delete(key);
    this.#values.set(key, { value, until: this.#now() + forMs });
    if (this.#values.size > this.#max) this.#values.delete(this.#values.keys().next().value!);
    return value;
  }
}

/** Shares one read between all callers that ask during it or within `forMs` after it. A failed read is not kept. */
export function sharedFor<T>(forMs: number, read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  const forget = () => { result = undefined; };
  return () => {
    if (!result) {
      result = read();
      result.then(() => setTimeout(forget, forMs).unref(), forget);
    }
    return result;
  };
}
