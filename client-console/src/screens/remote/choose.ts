import type { RainView } from '../../state/responses.ts';

/** From the tap to the opening, so that every screen counts down. */
export const COUNTDOWN_MS = 10_000;

export type RemoteVerb = 'start' | 'pause' | 'resume' | 'close';
type Known = Pick<RainView, 'state' | 'opensAt'>;

const opensAt = ({ opensAt: text }: Known) => Date.parse(text);

/** It rains, or would without the pause. */
export function isRunning(rain: Known, now: number): boolean {
  return rain.state === 'open' || (rain.state === 'paused' && opensAt(rain) <= now);
}

function isComing(rain: Known, now: number): boolean {
  return (rain.state === 'loaded' || rain.state === 'draft' || rain.state === 'paused') && !isRunning(rain, now);
}

/** Running ones, then coming ones, the next one first. */
export function inTurn<R extends Known>(rains: readonly R[], now: number): R[] {
  const soonest = (one: R, other: R) => opensAt(one) - opensAt(other);
  return [
    ...rains.filter((rain) => isRunning(rain, now)).sort(soonest),
    ...rains.filter((rain) => isComing(rain, now)).sort(soonest),
  ];
}

/**
 * The host's choices now. A start that would come later than the planned one is none, and only what has begun can be
 * ended.
 */
export function remoteVerbs(rain: Known, now: number): RemoteVerb[] {
  const started = opensAt(rain) <= now;
  const startable = opensAt(rain) - now > COUNTDOWN_MS;
  switch (rain.state) {
    case 'loaded':
      return startable ? ['start', 'pause'] : ['pause'];
    case 'open':
      return ['pause', 'close'];
    case 'paused':
      return started ? ['resume', 'close'] : ['resume'];
    case 'draft':
    case 'closed':
    case 'settled':
    case 'lost':
      return [];
    default:
      return rain.state satisfies never;
  }
}
