/**
 * A cache of limited size [R10] in which each value has its own lifetime; the oldest value is removed first.
 * @param now monotonic ms
 */
export function createExpiringCache<T>(max: number, now: () => number = () => performance.now()) {
  const values = new Map<string, { value: T; until: number }>();
  return {
    get(key: string): T | undefined {
      const found = values.get(key);
      if (!found || found.until > now()) return found?.value;
      values.delete(key);
      return undefined;
    },
    set<V extends T>(key: string, value: V, forMs: number): V {
      values.delete(key);
      values.set(key, { value, until: now() + forMs });
      if (values.size > max) values.delete(values.keys().next().value!);
      return value;
    },
  };
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
