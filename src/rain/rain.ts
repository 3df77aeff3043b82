/**
 * The states of a rain. Redis stores the state; `open` is never stored but follows from the clock, so that a rain opens
 * to the millisecond without any process [R7].
 *
 *     draft ──load──▶ loaded ◀──pause/resume──▶ paused
 *                       └───────close────────────┴──▶ closed ──settle──▶ settled
 *
 * `loaded` shows as `open` between opensAt (inclusive) and closesAt (exclusive), and as `closed` from closesAt on.
 */
export const STORED_STATES = ['draft', 'loaded', 'paused', 'closed', 'settled'] as const;
export type StoredState = (typeof STORED_STATES)[number];
export type RainState = StoredState | 'open';

export interface RainWindow {
  state: StoredState;
  /** Both in epoch ms. */
  opensAt: number;
  closesAt: number;
}

/** The state shown to a viewer at `now` (epoch ms, Redis's clock). The same order of checks as `lua/grab.lua`. */
export function stateAt(rain: RainWindow, now: number): RainState {
  if (rain.state === 'draft' || rain.state === 'closed' || rain.state === 'settled') return rain.state;
  if (now >= rain.closesAt) return 'closed';
  if (rain.state === 'paused') return 'paused';
  return now >= rain.opensAt ? 'open' : 'loaded';
}

/** Whether nothing is given any more, by the clock or by an operator. */
export const isOver = (state: RainState): boolean => state === 'closed' || state === 'settled';
