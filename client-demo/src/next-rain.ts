import type { RainSnapshot } from '../../src/protocol/messages.ts';

/** Rains remembered; more are never to come at once for one page. */
const RAINS_MAX = 32;
/** A rain that is about to start takes over a page that has nothing left to do, each at another moment: so many need not come at once. */
const TAKE_OVER_MS_MIN = 8_000;
const TAKE_OVER_MS_SPREAD = 12_000;

type Announced = Pick<RainSnapshot, 'rainId' | 'title' | 'state' | 'opensAt' | 'closesAt'>;

export interface Offer {
  rainId: string;
  title: string;
  opensAt: number;
  /** It is open already. */
  open: boolean;
}

/** The rains beside the one that is played, as far as the server has told of them: when this one is over, the next offers itself. */
export class Ahead {
  readonly #rains = new Map<string, Announced>();
  readonly #leadMs: number;
  /** Seen before its start: only such a rain comes by itself, an open one is somebody's choice. */
  readonly #awaited = new Set<string>();
  /** Played already by this page: there is nothing left to do in them. */
  readonly #played = new Set<string>();

  constructor(random: () => number) {
    this.#leadMs = TAKE_OVER_MS_MIN + random() * TAKE_OVER_MS_SPREAD;
  }

  hear({ rainId, title, state, opensAt, closesAt }: Announced): void {
    // A start that was moved is another start.
    if (this.#rains.get(rainId)?.opensAt !== opensAt) this.#awaited.delete(rainId);
    this.#rains.delete(rainId);
    if (state === 'closed' || state === 'settled') return;
    this.#rains.set(rainId, { rainId, title, state, opensAt, closesAt });
    if (this.#rains.size > RAINS_MAX) this.#rains.delete(this.#rains.keys().next().value!);
  }

  /** This rain was played to its end, and is not offered again. */
  leave(rainId: string): void {
    this.#played.add(rainId);
    if (this.#played.size > RAINS_MAX) this.#played.delete(this.#played.keys().next().value!);
  }

  /** @param now epoch ms by the server's clock. @returns the rain to be played after this one; one that is open before one to come */
  offer(playing: string | undefined, now: number): Offer | undefined {
    const next = [...this.#rains.values()].filter(({ rainId, closesAt }) => rainId !== playing && !this.#played.has(rainId) && closesAt > now).sort((a, b) => a.opensAt - b.opensAt)[0];
    if (!next) return undefined;
    const { rainId, title, opensAt } = next;
    if (opensAt > now + this.#leadMs) this.#awaited.add(rainId);
    return { rainId, title, opensAt, open: opensAt <= now };
  }

  /** The offer need not be taken any more: it is about to start, and was seen to come. */
  takesOver({ rainId, opensAt }: Offer, now: number): boolean {
    return this.#awaited.has(rainId) && opensAt - now <= this.#leadMs;
  }
}
