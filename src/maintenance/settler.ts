import { forgetOldEnds, rememberEnd } from '../store/endedRains.ts';
import { forget } from '../store/transitions.ts';
import { liveRains, readRain, redisNow, settledRains, type LiveRain } from '../store/rains.ts';
import { draftRain } from '../store/loadPackets.ts';
import { draftOf } from '../operator/commitment.ts';
import type { OperatorContext } from '../operator/context.ts';
import { hasLost } from '../operator/lostRains.ts';
import { goneReason } from '../operator/restore/presence.ts';
import { relistUnsettled } from '../operator/restore/stale.ts';
import { settleRain, type AfterReconnect, type Replicated, type Settling } from '../operator/settle.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';
import { SETTLE_AFTER_RECONNECT_MS } from '../platform/redis/reconnectTimer.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';
import { createStuck } from './stuck.ts';

export interface SettlerOptions extends AfterReconnect {
  context: OperatorContext;
  log: Logger;
  everyMs?: number;
  tidyMs?: number;
  /** With replicas, money goes back only when they have the close of the rain. */
  replicated?: Replicated;
  /** How long the keys of a settled rain live. */
  ttlMs?: number;
  /** How long a rain that is over waits for its claims before that is a warning, ms. */
  waitingMs?: number;
}

type Attempt = Settling | { outcome: 'failed'; error: unknown };

/** Settles all rains that are over. One that cannot be settled is logged once, is tried again, and delays no other. */
export function startSettler({
  context,
  log,
  everyMs = 500,
  tidyMs = 60_000,
  ttlMs,
  waitingMs = 300_000,
  replicated,
  sinceReconnect = () => Infinity,
  settleAfterReconnectMs = SETTLE_AFTER_RECONNECT_MS,
}: SettlerOptions): Loop {
  const stuck = createStuck({ everyMs, waitingMs });
  let tidyAt = 0;
  const failing = new Set<string>();

  async function attempt(rainId: string, live: LiveRain): Promise<void> {
    if (stuck.isPaused(rainId)) return;
    const result = await settleRain(context, rainId, live, ttlMs, replicated).catch((error: unknown): Attempt => ({
      outcome: 'failed',
      error,
    }));
    if (result.outcome !== 'waiting') stuck.waitsNoMore(rainId);
    else if (stuck.isLate(rainId))
      log.warn(
        { rainId, pending: result.pending },
        'the rain has been over for minutes, and is not settled: claims are still not in the ledger; see RainClaimWaiting in the runbook',
      );
    if (result.outcome === 'not_due' || result.outcome === 'settled') return stuck.forget(rainId);
    if (stuck.note(rainId, result)) report(rainId, result);
  }

  function report(rainId: string, result: Exclude<Attempt, { outcome: 'not_due' | 'settled' }>): void {
    switch (result.outcome) {
      case 'lost':
        return log.error({ rainId }, result.reason);
      case 'does_not_add_up':
        return log.error({ rainId, problems: result.problems }, 'the rain is not balanced and is not settled');
      case 'waiting':
        return log.debug({ rainId, pending: result.pending }, 'claims are not in the ledger yet');
      case 'failed':
        return log.error({ rainId, err: result.error }, 'settlement failed, will try again');
      default:
        return result satisfies never;
    }
  }

  async function tidy(live: ReadonlyMap<string, LiveRain>): Promise<void> {
    const now = await redisNow(context.redis);
    await forgetOldEnds(context.redis, now);
    // Rains whose keys have expired need no index entry.
    for (const [rainId, settled] of await settledRains(context.redis)) {
      if (await readRain(context.redis, rainId, settled)) continue;
      await rememberEnd(context.redis, rainId, now);
      await forget(context.redis, rainId);
    }
    // Settled in Redis only: the ledger was restored from a backup. It may have been closed early, so its planned end
    // says nothing.
    for (const rainId of await relistUnsettled(context))
      log.warn({ rainId }, 'Redis has settled a rain that the database has not; it is settled again');
    // Rains that were never written to Redis and are over by now: their money has to go back too.
    for (const rain of await context.ledger.overdue(now)) {
      if (live.has(rain.id)) continue;
      if (await hasLost(context, rain))
        report(rain.id, { outcome: 'lost', reason: await goneReason(context.redis, rain) });
      else await draftRain(context.redis, context.signer, await draftOf(context, rain));
    }
  }

  async function settleAll(signal: AbortSignal): Promise<void> {
    const live = await liveRains(context.redis);
    stuck.keepOnly(live);
    for (const [rainId, rain] of live)
      if (!signal.aborted && sinceReconnect() >= settleAfterReconnectMs) await attempt(rainId, rain);
    if (performance.now() < tidyAt) return;
    tidyAt = performance.now() + tidyMs;
    await tidy(live);
  }

  return startLoop(async (signal) => {
    if (sinceReconnect() >= settleAfterReconnectMs)
      await reportingFault(failing, 'rains', () => settleAll(signal), {
        began: (error) => log.error({ err: error }, 'the rains cannot be read, will try again'),
        over: () => log.info('the rains can be read again'),
      });
    return everyMs;
  });
}
