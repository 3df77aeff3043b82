import type { RainSnapshot, WelcomeMessage } from '../../src/protocol/messages.ts';
import type { Face } from './round.ts';

/**
 * Faces with which nothing is left to do in this rain, so another one may be offered. A missing face does not compile.
 */
const FINAL: Readonly<Record<Face, boolean>> = {
  connecting: false,
  scheduled: false,
  open: false,
  asking: false,
  paused: false,
  won: true,
  missed: true,
  gone: true,
  too_late: true,
  blocked: true,
  win_limit_reached: true,
  unknown_rain: true,
};

export function isFinal(face: string): boolean {
  return (FINAL as Partial<Record<string, boolean>>)[face] === true;
}

const PLAYABLE: readonly RainSnapshot['state'][] = ['open', 'paused', 'loaded', 'draft'];

export function isPlayable(state: RainSnapshot['state']): boolean {
  return PLAYABLE.includes(state);
}

/** Prefers open, then paused, then planned rains; among equals the earliest. */
export function firstToPlay(rains: WelcomeMessage['rains']): string | undefined {
  return rains
    .filter(({ state }) => isPlayable(state))
    .sort((a, b) => PLAYABLE.indexOf(a.state) - PLAYABLE.indexOf(b.state) || a.opensAt - b.opensAt)[0]?.rainId;
}

/** Rains remembered. One page never has more rains ahead. */
const RAINS_MAX = 32;
/**
 * A page joins the next rain this long before its start, ms. The time is random, so that the pages do not all join at
 * once.
 */
const TAKE_OVER_MS_MIN = 8_000;
const TAKE_OVER_MS_SPREAD = 12_000;

type Announced = Pick<RainSnapshot, 'rainId' | 'title' | 'state' | 'opensAt' | 'closesAt'>;

export type Offer = NonNullable<ReturnType<NextRain['offer']>>;

/** The announced rains besides the current one. When the current one is over, the next is offered. */
export class NextRain {
  readonly #rains = new Map<string, Announced>();
  readonly #leadMs: number;
  /**
   * How long before its start a rain is joined automatically, ms: one that was offered before, or, with 0, was
   * announced meanwhile. One that was open, or about to start, when the current rain ended is the player's choice: a
   * page that shows a win is not taken away at once.
   */
  readonly #awaited = new Map<string, number>();
  readonly #played = new Set<string>();
  /** Rains are offered: the current one is over. */
  #isOffering = false;

  constructor(random: () => number) {
    this.#leadMs = TAKE_OVER_MS_MIN + random() * TAKE_OVER_MS_SPREAD;
  }

  /** The rains that are listed now: an end may have been missed. */
  welcome(rains: readonly Announced[]): void {
    for (const rainId of this.#rains.keys())
      if (!rains.some((rain) => rain.rainId === rainId)) this.#rains.delete(rainId);
    for (const rain of rains) this.update(rain);
  }

  update({ rainId, title, state, opensAt, closesAt }: Announced): void {
    const isNew = !this.#rains.delete(rainId);
    if (state === 'closed' || state === 'settled') return;
    if (isNew && this.#isOffering && state === 'loaded') this.#awaited.set(rainId, 0);
    if (this.#awaited.size > RAINS_MAX) this.#awaited.delete(this.#awaited.keys().next().value!);
    this.#rains.set(rainId, { rainId, title, state, opensAt, closesAt });
    if (this.#rains.size > RAINS_MAX) this.#rains.delete(this.#rains.keys().next().value!);
  }

  /** Marks a rain as played, so that it is not offered again. */
  leave(rainId: string): void {
    this.#isOffering = false;
    this.#played.add(rainId);
    if (this.#played.size > RAINS_MAX) this.#played.delete(this.#played.keys().next().value!);
  }

  /**
   * @param now epoch ms by the server's clock.
   * @returns the rain to play next: the earliest one, so open rains come first
   */
  offer(playing: string | undefined, now: number) {
    this.#isOffering = true;
    const ahead = [...this.#rains.values()].filter(
      ({ rainId, closesAt }) => rainId !== playing && !this.#played.has(rainId) && closesAt > now,
    );
    for (const { rainId, opensAt } of ahead) if (opensAt > now + this.#leadMs) this.#awaited.set(rainId, this.#leadMs);
    const next = ahead.sort((a, b) => a.opensAt - b.opensAt)[0];
    if (!next) return undefined;
    const { rainId, title, opensAt } = next;
    return { rainId, title, opensAt, open: opensAt <= now };
  }

  /** Whether the offered rain is joined automatically now. */
  startsSoon({ rainId, opensAt }: Offer, now: number): boolean {
    return opensAt - now <= (this.#awaited.get(rainId) ?? Number.NEGATIVE_INFINITY);
  }
}
