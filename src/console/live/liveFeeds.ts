import type { OperatorContext } from '../../operator/context.ts';
import type { LiveSample } from '../contract/live.ts';
import type { Loop } from '../../platform/concurrency/loop.ts';
import { startSampler, type Pace } from './sampler.ts';

/** Who looks at a rain live. */
interface Viewer {
  show: (sample: LiveSample) => void;
  /** There is nothing more to show: the console closes. */
  end: () => void;
}

export interface LiveFeeds {
  /** @returns how to leave; `undefined`: too many look already */
  watch(rainId: string, viewer: Viewer): (() => void) | undefined;
  close(): void;
}

/** A big screen and a few operators, not an audience: that one looks at the big screen [R10]. */
const VIEWERS_MAX = 200;
const RAINS_MAX = 50;

/** One sampler a rain, from the first who looks to the last; who comes later is shown the last sample at once. */
export function openLiveFeeds(context: OperatorContext, onFault: (error: unknown) => void, pace: Pace): LiveFeeds {
  const shows = new Map<string, { viewers: Set<Viewer>; sampler: Loop; last?: LiveSample }>();
  let count = 0;

  function open(rainId: string) {
    const viewers = new Set<Viewer>();
    const sampler = startSampler({
      context, rainId, onFault, pace,
      onSample: (sample) => {
        show.last = sample;
        for (const viewer of viewers) viewer.show(sample);
      },
    });
    const show: { viewers: Set<Viewer>; sampler: Loop; last?: LiveSample } = { viewers, sampler };
    shows.set(rainId, show);
    return show;
  }

  return {
    watch(rainId, viewer) {
      if (count >= VIEWERS_MAX || (!shows.has(rainId) && shows.size >= RAINS_MAX)) return undefined;
      const show = shows.get(rainId) ?? open(rainId);
      show.viewers.add(viewer);
      count++;
      if (show.last) viewer.show(show.last);
      return () => {
        if (!show.viewers.delete(viewer)) return;
        count--;
        if (show.viewers.size > 0) return;
        shows.delete(rainId);
        void show.sampler.close();
      };
    },
    close() {
      for (const { viewers, sampler } of shows.values()) {
        void sampler.close();
        for (const viewer of viewers) viewer.end();
      }
      shows.clear();
    },
  };
}
