/** One timer: `set` replaces the previous call. */
export class Timer {
  #timer: NodeJS.Timeout | undefined;

  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  set(inMs: number, onTime: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      onTime();
    }, inMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
