/** When users who were waiting were told that it has begun, ms since the start of the wave. */
export interface StartRecord {
  heard: number;
  firstMs: number;
  lastMs: number;
}

/** How far apart the first and the last of a crowd hear the start. */
export class StartHeard {
  #heard = 0;
  #firstMs = 0;
  #lastMs = 0;

  hear(atMs: number): void {
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
