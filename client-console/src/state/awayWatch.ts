/** Nobody has answered, or a store behind the console does not. */
const AWAY = ['unreachable', 'unavailable'];

export function isAway(refusal: { code: string } | undefined): boolean {
  return refusal !== undefined && AWAY.includes(refusal.code);
}

export interface Away {
  code: 'unreachable' | 'unavailable';
  /** The time of the last answer before, epoch ms by the server's clock; the page's content is as old as this. */
  since: number;
}

/**
 * Which repeated requests and streams of the page have lost the server: the page tells it once, and not in every part.
 */
export class AwayWatch {
  readonly #lost = new Map<object, Away['code']>();
  readonly #listeners = new Set<() => void>();
  #since = 0;

  /** @param who the request or stream; `code`: absent when it has its answer, or is over */
  note(who: object, code: string | undefined, now: number): void {
    const before = this.#lost.size;
    if (code === 'unreachable' || code === 'unavailable') this.#lost.set(who, code);
    else this.#lost.delete(who);
    if (before === 0 && this.#lost.size > 0) this.#since = now;
    if ((before === 0) !== (this.#lost.size === 0)) for (const listener of this.#listeners) listener();
  }

  get current(): Away | undefined {
    const [code] = this.#lost.values();
    return code && { code, since: this.#since };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
