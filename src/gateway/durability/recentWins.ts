import type { SentWin } from '../../grab/restore.ts';
import { GENERATION_MS, RECENT_WINS_MAX } from './limits.ts';

/**
 * Recent answers of this gateway to its users. If Redis loses it, it can be put back. When the younger of two
 * generations is full or too old, the older one is dropped as a whole: dropping entries one by one would cost more than
 * the win itself.
 */
export class RecentlyTold<T extends { at: number }> {
  #older = new Map<string, T>();
  #younger = new Map<string, T>();
  #youngerSince = 0;
  readonly #nameOf: (told: T) => string;
  readonly #generationMax: number;

  constructor(nameOf: (told: T) => string, max = RECENT_WINS_MAX) {
    this.#nameOf = nameOf;
    this.#generationMax = Math.floor(max / 2);
  }

  /** Each once, roughly in the order in which they were sent. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (const [name, told] of this.#older) if (!this.#younger.has(name)) yield told;
    yield* this.#younger.values();
  }

  protected knows(name: string): boolean {
    return this.#younger.has(name) || this.#older.has(name);
  }

  /** The entries that are asked for, in the same order. */
  *where(isAsked: (told: T) => boolean): IterableIterator<T> {
    for (const told of this) if (isAsked(told)) yield told;
  }

  /**
   * Only new ones drop a generation: however long Redis is unreachable, the last ones before the outage are still here.
   * @returns the first that was told by this name; usually the same
   */
  add(told: T): T {
    const name = this.#nameOf(told);
    const known = this.#younger.get(name);
    if (known && told.at < this.#youngerSince + GENERATION_MS) return known;
    const first = known ?? this.#older.get(name) ?? told;
    if (this.#younger.size >= this.#generationMax || told.at >= this.#youngerSince + GENERATION_MS) {
      this.#older = this.#younger;
      this.#younger = new Map();
      this.#youngerSince = told.at;
    }
    this.#younger.set(name, first);
    return first;
  }
}

/** The wins that this gateway has recently sent: one for each rain and user. */
export class RecentWins extends RecentlyTold<SentWin> {
  constructor(max?: number) {
    super(winName, max);
  }

  has(rainId: string, userId: string): boolean {
    return this.knows(winName({ rainId, userId }));
  }
}

function winName({ rainId, userId }: Pick<SentWin, 'rainId' | 'userId'>): string {
  return `${rainId}/${userId}`;
}
