import type { OperatorContext } from '../../operator/context.ts';
import type { LiveSample } from '../contract/live.ts';
import type { Loop } from '../../platform/concurrency/loop.ts';
import { startSampler, type Pace } from './sampler.ts';

/** One open live screen. */
interface Viewer {
  show: (sample: LiveSample) => void;
  /** Called when the console closes. */
  end: () => void;
}

interface Feed {
  viewers: Set<Viewer>;
  sampler?: Loop;
  last?: LiveSample;
}

export type LiveFeeds = ReturnType<typeof openLiveFeeds>;

/** For a big screen and a few operators. The audience watches the big screen [R10]. */
const VIEWERS_MAX = 200;
const RAINS_MAX = 50;

/** One sampler per rain, from its first viewer to its last. A later viewer gets the last sample at once. */
export function openLiveFeeds(context: OperatorContext, onFault: (error: unknown) => void, pace: Pace) {
  const feeds = new Map<string, Feed>();
  let count = 0;

  function open(rainId: string): Feed {
    const feed: Feed = { viewers: new Set() };
    feeds.set(rainId, feed);
    feed.sampler = startSampler(context, rainId, pace, onFault, (sample) => {
      feed.last = sample;
      for (const viewer of feed.viewers) viewer.show(sample);
    });
    return feed;
  }

  return {
    /** @returns the last sample, and a function that ends watching; `undefined`: there are too many viewers */
    watch(rainId: string, viewer: Viewer): { last: LiveSample | undefined; leave: () => void } | undefined {
      if (count >= VIEWERS_MAX || (!feeds.has(rainId) && feeds.size >= RAINS_MAX)) return undefined;
      const feed = feeds.get(rainId) ?? open(rainId);
      feed.viewers.add(viewer);
      count++;
      const leave = () => {
        if (!feed.viewers.delete(viewer)) return;
        count--;
        if (feed.viewers.size > 0) return;
        feeds.delete(rainId);
        void feed.sampler?.close();
      };
      return { last: feed.last, leave };
    },
    close(): void {
      for (const { viewers, sampler } of feeds.values()) {
        void sampler?.close();
        for (const viewer of viewers) viewer.end();
      }
      feeds.clear();
    },
  };
}
