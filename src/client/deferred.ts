import type { Signal } from './signal.ts';

/** A repeatable promise: each call of `resolve` settles all callers that wait at that time. */
export class Deferred<Value> {
  #waiting = new Set<(value: Value) => void>();

  /**
   * @param onNobody called when the last waiting caller has aborted. The promise then rejects with the signal's reason
   */
  wait(signal?: Signal, onNobody?: () => void): Promise<Value> {
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

  resolve(value: Value): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const settle of waiting) settle(value);
  }
}
