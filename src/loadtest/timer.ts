/** One timer: set again, it forgets what it was set for before. */
export class Timer {
  #timer: NodeJS.Timeout | undefined;

  /** It has not rung yet. */
  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  set(inMs: number, ring: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      ring();
    }, inMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
