import type { RainState } from '../state/responses.ts';

export type Filter = 'all' | 'now' | 'coming' | 'past';

export const FILTER_OF: Record<RainState, Filter> = {
  draft: 'coming',
  loaded: 'coming',
  open: 'now',
  paused: 'now',
  closed: 'past',
  settled: 'past',
  lost: 'now',
};

/** Running rains are on top, whatever was created since. */
export function runningFirst<R extends { state: RainState }>(rains: readonly R[]): R[] {
  const runs = ({ state }: R) => FILTER_OF[state] === 'now';
  return [...rains.filter(runs), ...rains.filter((rain) => !runs(rain))];
}
