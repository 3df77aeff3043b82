import { RestoreFault, restoreSentWins, type Restored, type SentWin } from '../../grab/restore.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import { deadlineIn } from '../../platform/concurrency/deadline.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { recordTold } from '../../store/told.ts';
import type { Signer } from '../../store/signer.ts';
import { shardKeys } from '../../store/keys.ts';
import {
  CHECK_RETRY_MS,
  DOUBT_PAUSE_MS,
  FIRST_MS_MAX,
  LOOKING_MS_MAX,
  LOST_WINS_LOGGED_MAX,
  SETTLED_RAINS_MAX,
} from './limits.ts';
import { watchMasters } from './replacedMasters.ts';

interface RestorerOptions {
  /** The connection grabs go through. */
  redis: RedisClient;
  signer: Signer;
  recentWins: Iterable<SentWin>;
  /**
   * To be done before the wins of the shards with these keys are put back, which wait `FIRST_MS_MAX` for it. Rejects
   * when Redis cannot be reached.
   */
  first?: (concerns: (key: string) => boolean) => Promise<void>;
  /**
   * Checks what else users were told of the shards or sales with these keys, and puts it back. Rejects when Redis
   * cannot be reached.
   */
  also?: (concerns: (key: string) => boolean) => Promise<void>;
  log: Logger;
  retryMs?: number;
}

/**
 * Restores sent wins that Redis has lost. When the connection is ready again after a loss, the server behind it may be
 * another one, or may have lost its latest writes. Then the restorer checks all recent wins and puts back the missing
 * ones.
 *
 *     verified ──connection lost, or a doubt──▶ unverified ──ready──▶ checking ──all found or put back──▶ verified
 *                                                   ▲─────────failed─────────┘
 *
 * In a Redis Cluster single masters may be replaced, while the connection as a whole stays ready: see `watchMasters`.
 */
export function startRestorer({
  redis,
  signer,
  recentWins,
  first,
  also,
  log,
  retryMs = CHECK_RETRY_MS,
}: RestorerOptions) {
  let verified = true;
  /** Another connection may reach the server that comes next before this one does. */
  let isAway = false;
  let lookingUntil = 0;
  /** Until then a doubt makes no grab wait. */
  let noLookingUntil = 0;
  let underWay = false;
  let isFailing = false;
  /** During repeated failures: rains that were already reported as lost, with the number of lost wins. */
  const reportedLost = new Map<string, number>();
  /** Rains that are known to be settled. */
  const settled = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const masters = watchMasters(redis, {
    putBack: async (concerns) => (await putBackAll(concerns)).length === 0,
    // Told wins of the same master that nobody asks for now.
    onReplaced: () => {
      verified = false;
      scheduleRetry();
    },
  });

  async function check(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (underWay || closed) return;
    underWay = verified = true;
    const faults = await putBackAll(() => true);
    if (faults.length === 0) reportedLost.clear();
    else {
      verified = false;
      if (!closed && !isFailing)
        log.warn(
          { err: faults.length === 1 ? faults[0] : new AggregateError(faults, faults.join('; ')) },
          'cannot check what was told to users; will try again',
        );
    }
    isFailing = faults.length > 0;
    underWay = false;
    if (verified) lookingUntil = 0;
    else scheduleRetry();
  }

  /** Returns what failed. A rain being settled or a sale, which cannot be checked, does not delay the others. */
  async function putBackAll(concerns: (key: string) => boolean): Promise<unknown[]> {
    return (await Promise.allSettled([putBackWins(concerns), also?.(concerns)])).flatMap((one) =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    );
  }

  async function putBackWins(concerns: (key: string) => boolean): Promise<void> {
    // Failed or late work does not delay the wins: grabs do not wait for ever.
    const fault: unknown =
      first &&
      (await deadlineIn(FIRST_MS_MAX)
        .within(first(concerns))
        .then(
          (done) => (done === 'late' ? new Error('moves of packets take too long to end') : undefined),
          (error: unknown) => error,
        ));
    try {
      await restore(winsOf(concerns));
    } catch (error) {
      // Report the restored wins now: the next check will find them in place.
      if (error instanceof RestoreFault)
        for (const restored of error.restored) await conclude(restored).catch(() => {}); // written down by the next check
      throw error;
    }
    if (fault !== undefined) throw fault;
  }

  /** @throws when some cannot be checked, or written down */
  async function restore(wins: Iterable<SentWin>): Promise<void> {
    for (const restored of await restoreSentWins(redis, signer, wins)) await conclude(restored);
  }

  function* winsOf(concerns: (key: string) => boolean): Iterable<SentWin> {
    for (const win of recentWins) if (concerns(shardKeys(win.rainId, win.shard).state)) yield win;
  }

  function scheduleRetry(ms = retryMs): void {
    if (closed) return;
    if (ms === 0) clearTimeout(timer);
    timer = ms === 0 || !timer ? setTimeout(() => void check(), ms) : timer;
  }

  /** @throws when lost wins cannot be written down */
  async function conclude(restored: Restored): Promise<void> {
    const { rainId, lost } = restored;
    // Every claim of a settled rain is in the ledger, and its keys expire.
    if (lost?.why === 'gone' && settled.has(rainId)) return;
    report(restored);
    if (lost) await recordTold(redis, signer, rainId, lost.claims);
  }

  function report({ rainId, putBack, contested, lost }: Restored): void {
    if (putBack > 0 || contested > 0)
      log.warn(
        { rainId, putBack, contested },
        'Redis had lost wins that were sent to users; they were put back, and the ledger decides about contested ones',
      );
    if (!lost || reportedLost.get(rainId) === lost.claims.length) return;
    reportedLost.set(rainId, lost.claims.length);
    const loggedWins = lost.claims
      .slice(0, LOST_WINS_LOGGED_MAX)
      .map(({ userId, redPacketId }) => ({ userId, redPacketId }));
    log.error(
      { rainId, lost: lost.claims.length, claims: loggedWins },
      lost.why === 'settled'
        ? 'wins that were sent to users are missing, and the rain was settled without them; they are written down for rain write-off'
        : 'Redis has lost a rain with wins that were sent to users; they are written down for rain write-off',
    );
  }

  const onClose = () => {
    verified = false;
    isAway = true;
  };
  const onReady = () => {
    isAway = false;
    if (verified) return;
    lookingUntil = performance.now() + LOOKING_MS_MAX;
    void check();
  };
  redis.on('close', onClose);
  redis.on('ready', onReady);

  return {
    /**
     * True while the connection is away, and, for a bounded time, during the check that follows: packets of sent wins
     * may lie in the list again, and must not be granted.
     * @param key any of the shard or sale that is asked for
     */
    looking(key: string): boolean {
      return isAway || masters.waits(key) || (lookingUntil > 0 && performance.now() < lookingUntil);
    },
    /** Puts back or writes down those of these wins that Redis has not, though no line was cut. */
    restore,
    /** To be called when a settled rain is seen. */
    settled(rainId: string): void {
      if (settled.size >= SETTLED_RAINS_MAX) settled.clear();
      settled.add(rainId);
    },
    /**
     * Checks in a while, and makes nobody wait: after a failed command, since in a Redis Cluster a node may have been
     * replaced.
     */
    recheck() {
      verified = false;
      scheduleRetry();
    },
    /**
     * Starts a check: when a rain is gone, or Redis is an earlier state of itself. The first doubt after a while starts
     * it at once, and grabs wait for it as after a lost connection. Later doubts do not: a part of Redis that stays
     * broken must not stop the others.
     */
    doubt() {
      const now = performance.now();
      const isFirst = verified && now >= noLookingUntil;
      verified = false;
      if (isFirst) {
        lookingUntil = now + LOOKING_MS_MAX;
        noLookingUntil = now + DOUBT_PAUSE_MS;
      }
      scheduleRetry(isFirst ? 0 : retryMs);
    },
    close() {
      closed = true;
      masters.close();
      clearTimeout(timer);
      redis.off('close', onClose);
      redis.off('ready', onReady);
    },
  };
}
