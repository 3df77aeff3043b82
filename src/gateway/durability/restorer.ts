import { RestoreFault, restoreTold, type Restored, type ToldClaim } from '../../grab/restore.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';

interface RestorerOptions {
  /** The connection grabs go through. */
  redis: RedisClient;
  recentWins: Iterable<ToldClaim>;
  log: Logger;
  retryMs?: number;
}

/**
 * Sees to it that what was told stays true. When the connection is ready again after it was lost, the server behind it may
 * be another, or the same with a shorter memory; then the wins that were told are looked for, and put back.
 *
 *     sure ──connection lost, or a doubt──▶ in doubt ──ready──▶ looking ──all found or put back──▶ sure
 *                                              ▲────────────failed──────────┘
 */
interface Restorer {
  /** While it looks after a loss: the packets of told wins may lie in the list, and nobody is to take them. Bounded. */
  readonly looking: boolean;
  /** A command went wrong; in a Redis Cluster nothing else tells that a node was replaced. */
  doubt(): void;
  close(): void;
}

/** Longer than this nobody is kept waiting for it: should it fail for so long, the book decides about what is won twice. */
const LOOKING_MS_MAX = 3_000;
/** Lost claims that are named in the log; the rest is counted. */
const NAMED_MAX = 50;

export function startRestorer({ redis, recentWins, log, retryMs = 1_000 }: RestorerOptions): Restorer {
  let sure = true;
  let lookingUntil = 0;
  let underWay = false;
  let failing = false;
  /** While it fails: rains that have been reported as lost, and how many claims of each. */
  const mourned = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function look(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (underWay || closed) return;
    underWay = sure = true;
    try {
      for (const restored of await restoreTold(redis, recentWins)) report(restored);
      failing = false;
      mourned.clear();
    } catch (error) {
      sure = false;
      // What was put back is found in its place the next time: it is told now or never.
      if (error instanceof RestoreFault) for (const restored of error.restored) report(restored);
      if (!closed && !failing) log.warn({ err: error }, 'the wins that were told cannot be looked for, will try again');
      failing = true;
    }
    underWay = false;
    if (sure) lookingUntil = 0;
    else again();
  }

  function again(): void {
    if (!closed) timer ??= setTimeout(() => void look(), retryMs);
  }

  function report({ rainId, putBack, contested, lost }: Restored): void {
    if (putBack > 0 || contested > 0) log.warn({ rainId, putBack, contested }, 'Redis had lost wins that were told; they were put back, and the book decides about contested ones');
    if (!lost || mourned.get(rainId) === lost.claims.length) return;
    mourned.set(rainId, lost.claims.length);
    const named = lost.claims.slice(0, NAMED_MAX).map(({ userId, redPacketId }) => ({ userId, redPacketId }));
    log.error({ rainId, lost: lost.claims.length, claims: named }, lost.why === 'settled'
      ? 'wins that were told are missing and the rain is settled without them' : 'Redis has lost a rain with wins that were told; nothing was written');
  }

  const onClose = () => { sure = false; };
  const onReady = () => {
    if (sure) return;
    lookingUntil = performance.now() + LOOKING_MS_MAX;
    void look();
  };
  redis.on('close', onClose);
  redis.on('ready', onReady);

  return {
    get looking() {
      return lookingUntil > 0 && performance.now() < lookingUntil;
    },
    doubt() {
      sure = false;
      again();
    },
    close() {
      closed = true;
      clearTimeout(timer);
      redis.off('close', onClose);
      redis.off('ready', onReady);
    },
  };
}
