import type { Loop } from '../../platform/concurrency/loop.ts';

/** One open live screen. */
interface Viewer<Sample> {
  show: (sample: Sample) => void;
  /** Called when the console closes. */
  end: () => void;
}

interface Feed<Sample> {
  viewers: Set<Viewer<Sample>>;
  sampler?: Loop;
  last?: Sample;
}

export type LiveFeeds<Sample> = ReturnType<typeof openLiveFeeds<Sample>>;

/** For a big screen and a few operators. The audience watches the big screen [R10]. */
const VIEWERS_MAX = 200;
const FEEDS_MAX = 50;

/** One sampler per rain or sale, from its first viewer to its last. A later viewer gets the last sample at once. */
export function openLiveFeeds<Sample>(startSampler: (id: string, onSample: (sample: Sample) => void) => Loop) {
  const feeds = new Map<string, Feed<Sample>>();
  let count = 0;

  function open(id: string): Feed<Sample> {
    const feed: Feed<Sample> = { viewers: new Set() };
    feeds.set(id, feed);
    feed.sampler = startSampler(id, (sample) => {
      feed.last = sample;
      for (const viewer of feed.viewers) viewer.show(sample);
    });
    return feed;
  }

  return {
    /** @returns the last sample, and a function that ends watching; `undefined`: there are too many viewers */
    watch(id: string, viewer: Viewer<Sample>): { last: Sample | undefined; leave: () => void } | undefined {
      if (count >= VIEWERS_MAX || (!feeds.has(id) && feeds.size >= FEEDS_MAX)) return undefined;
      const feed = feeds.get(id) ?? open(id);
      feed.viewers.add(viewer);
      count++;
      const leave = () => {
        if (!feed.viewers.delete(viewer)) return;
        count--;
        if (feed.viewers.size > 0) return;
        feeds.delete(id);
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
