import type { Desk } from '../../operator/desk.ts';
import type { LiveSample } from '../contract/live.ts';
import type { Rounds } from '../../runtime/rounds.ts';
import { startSampler, type Pace } from './sampler.ts';

/** Who looks at a rain live. */
interface Onlooker {
  show: (sample: LiveSample) => void;
  /** There is nothing more to show: the desk closes. */
  end: () => void;
}

export interface Stage {
  /** @returns how to leave; `undefined`: too many look already */
  watch(rainId: string, onlooker: Onlooker): (() => void) | undefined;
  close(): void;
}

/** A big screen and a few operators, not an audience: that one looks at the big screen [R10]. */
const ONLOOKERS_MAX = 200;
const RAINS_MAX = 50;

/** One sampler a rain, from the first who looks to the last; who comes later is shown the last sample at once. */
export function openStage(desk: Desk, onFault: (error: unknown) => void, pace: Pace): Stage {
  const shows = new Map<string, { onlookers: Set<Onlooker>; sampler: Rounds; last?: LiveSample }>();
  let count = 0;

  function open(rainId: string) {
    const onlookers = new Set<Onlooker>();
    const sampler = startSampler({
      desk, rainId, onFault, pace,
      onSample: (sample) => {
        show.last = sample;
        for (const onlooker of onlookers) onlooker.show(sample);
      },
    });
    const show: { onlookers: Set<Onlooker>; sampler: Rounds; last?: LiveSample } = { onlookers, sampler };
    shows.set(rainId, show);
    return show;
  }

  return {
    watch(rainId, onlooker) {
      if (count >= ONLOOKERS_MAX || (!shows.has(rainId) && shows.size >= RAINS_MAX)) return undefined;
      const show = shows.get(rainId) ?? open(rainId);
      show.onlookers.add(onlooker);
      count++;
      if (show.last) onlooker.show(show.last);
      return () => {
        if (!show.onlookers.delete(onlooker)) return;
        count--;
        if (show.onlookers.size > 0) return;
        shows.delete(rainId);
        void show.sampler.close();
      };
    },
    close() {
      for (const { onlookers, sampler } of shows.values()) {
        void sampler.close();
        for (const onlooker of onlookers) onlooker.end();
      }
      shows.clear();
    },
  };
}
