/** A value that any number of callers wait for, to be kept again and again: each time for those who wait then. */
export class Deferred<Value> {
  #waiting = new Set<(value: Value) => void>();

  /** @param onNobody the last one has stopped waiting. Rejects with the signal's reason when that comes first */
  wait(signal?: AbortSignal, onNobody?: () => void): Promise<Value> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const settle = (value: Value) => {
        signal?.removeEventListener('abort', leave);
        resolve(value);
      };
      const leave = () => {
        reject(signal!.reason as Error);
        if (this.#waiting.delete(settle) && this.#waiting.size === 0) onNobody?.();
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.add(settle);
    });
  }

  keep(value: Value): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const settle of waiting) settle(value);
  }
}
