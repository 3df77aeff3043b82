import type { Role } from '../../ledger/staff.ts';
import type { Loop } from '../../platform/concurrency/loop.ts';

/** One open live screen. */
interface Viewer<Sample> {
  /** The account that watches. */
  name: string;
  role: Role;
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

/**
 * For a big screen and a few operators. The audience watches the big screen [R10]. No account takes all places, and
 * those who may only read leave some to operators.
 */
const LIMITS = { viewersMax: 200, perAccountMax: 20, feedsMax: 50, keptForOperators: 0.2 } as const;

/** One sampler per rain or sale, from its first viewer to its last. A later viewer gets the last sample at once. */
export function openLiveFeeds<Sample>(startSampler: (id: string, onSample: (sample: Sample) => void) => Loop) {
  const feeds = new Map<string, Feed<Sample>>();
  const perAccount = new Map<string, number>();
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
      const { name, role } = viewer;
      const share = role === 'operator' ? 1 : 1 - LIMITS.keptForOperators;
      const own = perAccount.get(name) ?? 0;
      if (own >= LIMITS.perAccountMax || count >= LIMITS.viewersMax * share) return undefined;
      if (!feeds.has(id) && feeds.size >= LIMITS.feedsMax * share) return undefined;
      const feed = feeds.get(id) ?? open(id);
      feed.viewers.add(viewer);
      perAccount.set(name, own + 1);
      count++;
      const leave = () => {
        if (!feed.viewers.delete(viewer)) return;
        count--;
        const left = perAccount.get(name)! - 1;
        if (left > 0) perAccount.set(name, left);
        else perAccount.delete(name);
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
