/** One column of the plots, ms. */
export const BIN_MS = 250;
/** Two hours; later events are counted in the last column [R10]. */
const BINS_MAX = 28_800;

/** For each event, how often it happened in each quarter of a second since the start; two timelines can be added up. */
export type TimelineRecord = Record<string, number[]>;

export class Timeline {
  readonly #counts = new Map<string, number[]>();

  /** @param atMs since the start of the wave */
  add(what: string, atMs: number, count = 1): void {
    const bin = Math.min(BINS_MAX, Math.max(0, Math.floor(atMs / BIN_MS)));
    this.#addTo(what, bin, count);
  }

  merge(other: TimelineRecord): void {
    for (const [what, counts] of Object.entries(other)) counts.forEach((count, bin) => this.#addTo(what, bin, count));
  }

  record(): TimelineRecord {
    return Object.fromEntries(this.#counts);
  }

  #addTo(what: string, bin: number, count: number): void {
    let counts = this.#counts.get(what);
    if (!counts) this.#counts.set(what, (counts = []));
    while (counts.length <= bin) counts.push(0);
    counts[bin]! += count;
  }
}
