/** When waiting users received the start of the rain, ms since the start of the wave. */
export interface StartRecord {
  heard: number;
  firstMs: number;
  lastMs: number;
}

/** Measures the time between the first and the last user that receives the start. */
export class StartTimes {
  #heard = 0;
  #firstMs = 0;
  #lastMs = 0;

  add(atMs: number): void {
    this.merge({ heard: 1, firstMs: atMs, lastMs: atMs });
  }

  merge({ heard, firstMs, lastMs }: StartRecord): void {
    if (heard === 0) return;
    this.#firstMs = this.#heard === 0 ? firstMs : Math.min(this.#firstMs, firstMs);
    this.#lastMs = this.#heard === 0 ? lastMs : Math.max(this.#lastMs, lastMs);
    this.#heard += heard;
  }

  record(): StartRecord {
    return { heard: this.#heard, firstMs: this.#firstMs, lastMs: this.#lastMs };
  }
}
