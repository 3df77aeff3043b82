import { createSemaphore } from '../platform/concurrency/semaphore.ts';

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
  const forget = () => {
    result = undefined;
  };
  return () => {
    if (!result) {
      result = read();
      result.then(() => setTimeout(forget, forMs).unref(), forget);
    }
    return result;
  };
}

interface SharedReads<T> {
  read: (key: string) => Promise<T>;
  /** How long one result serves all callers, ms. */
  freshMs: (value: T) => number;
  /** Limits: results kept, concurrent reads, and keys that wait for a read [R10]. */
  rememberedMax: number;
  atOnceMax: number;
  waitingMax: number;
  /** For the error when too many wait. */
  what: string;
  now?: (() => number) | undefined;
}

/** The same by key. Rejects when the read does, or too many keys wait. */
export function createSharedReads<T>({
  read,
  freshMs,
  rememberedMax,
  atOnceMax,
  waitingMax,
  what,
  now,
}: SharedReads<T>): (key: string) => Promise<T> {
  const cache = createExpiringCache<{ value: T }>(rememberedMax, now);
  const reading = new Map<string, Promise<T>>();
  const inSlot = createSemaphore(atOnceMax);

  async function load(key: string): Promise<T> {
    const value = await inSlot(() => read(key));
    cache.set(key, { value }, freshMs(value));
    return value;
  }

  return (key) => {
    const known = cache.get(key);
    if (known) return Promise.resolve(known.value);
    let pending = reading.get(key);
    if (!pending) {
      if (reading.size >= waitingMax) return Promise.reject(new Error(`too many ${what} are requested at once`));
      pending = load(key).finally(() => reading.delete(key));
      reading.set(key, pending);
    }
    return pending;
  };
}
