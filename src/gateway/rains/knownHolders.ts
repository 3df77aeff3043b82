import { WINNERS_REST_MS, WINNERS_REST_MS_MAX, WINNERS_REST_SHARE } from './limits.ts';

interface KnownHoldersRules<Stored, Holders> {
  reading: (id: string) => Stored | undefined;
  refresh: (id: string) => Promise<void>;
  /** Whether this reading answers some users who hold nothing. */
  concludes: (stored: Stored) => boolean;
  /** `undefined`: not yet; it is asked for again later. */
  read: (id: string, stored: Stored) => Promise<Holders | undefined>;
  /** Whether nobody can have become a holder between the two. */
  agree: (stored: Stored, holders: Holders) => boolean;
  onFault: (error: unknown) => void;
}

/**
 * The possible holders in a rain or a sale, read once it has an answer for all others, and the latest reading that
 * agrees with it. As soon as a reading does not agree, it is forgotten.
 */
export class KnownHolders<Stored, Holders> {
  readonly #rules: KnownHoldersRules<Stored, Holders>;
  readonly #known = new Map<string, { holders: Holders; agreed: Stored | undefined }>();
  /** The readings under way, one at a time for each key. If one is forgotten meanwhile, the result is dropped. */
  readonly #reading = new Map<string, symbol>();
  #busy = false;
  /** Until when each is not read again, ms of the monotonic clock; and until when none is. */
  readonly #resting = new Map<string, number>();
  #allRestUntil = 0;

  constructor(rules: KnownHoldersRules<Stored, Holders>) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#known.size;
  }

  /** The holders and the latest reading, if they agree. */
  of(id: string): { holders: Holders; stored: Stored } | undefined {
    const known = this.#known.get(id);
    if (!known) return undefined;
    const stored = this.#rules.reading(id);
    if (stored !== known.agreed) known.agreed = stored && this.#rules.agree(stored, known.holders) ? stored : undefined;
    if (known.agreed) return { holders: known.holders, stored: known.agreed };
    this.#known.delete(id);
    return undefined;
  }

  /** To be called when the engine has refused somebody: further refusals may not need Redis. */
  heardNo(id: string): void {
    if (this.#busy || this.#known.has(id)) return;
    const now = performance.now();
    if (now >= this.#allRestUntil && now >= (this.#resting.get(id) ?? 0)) void this.#learn(id);
  }

  /** To be called when one has changed; without an id, when any may have changed. */
  forget(id?: string): undefined {
    for (const known of [this.#known, this.#reading, this.#resting]) {
      if (id === undefined) known.clear();
      else known.delete(id);
    }
  }

  async #learn(id: string): Promise<void> {
    const mark = Symbol(id);
    const beganAt = performance.now();
    this.#reading.set(id, mark);
    this.#busy = true;
    let holders: Holders | undefined;
    try {
      holders = await this.#read(id);
    } catch (error) {
      this.#rules.onFault(error);
    }
    this.#busy = false;
    const now = performance.now();
    this.#allRestUntil = now + Math.min(WINNERS_REST_MS_MAX, WINNERS_REST_SHARE * (now - beganAt));
    this.#tidy(now);
    if (this.#reading.get(id) !== mark) return;
    this.#reading.delete(id);
    this.#resting.set(id, now + WINNERS_REST_MS);
    if (holders) this.#known.set(id, { holders, agreed: undefined });
  }

  /** Drops what is gone: nobody may ever ask for it again. */
  #tidy(now: number): void {
    for (const id of this.#known.keys()) if (!this.#rules.reading(id)) this.#known.delete(id);
    for (const [id, until] of this.#resting) if (now >= until) this.#resting.delete(id);
  }

  /** Reads the holders if there is an answer both before and after the reading. */
  async #read(id: string): Promise<Holders | undefined> {
    const { refresh, read, agree } = this.#rules;
    // The latest reading may be from before the last piece went.
    if (!this.#concluded(id)) await refresh(id);
    const before = this.#concluded(id);
    if (!before) return undefined;
    const holders = await read(id, before);
    await refresh(id);
    const after = this.#concluded(id);
    return after && holders && agree(after, holders) ? holders : undefined;
  }

  #concluded(id: string): Stored | undefined {
    const stored = this.#rules.reading(id);
    return stored && this.#rules.concludes(stored) ? stored : undefined;
  }
}
