import { forget } from '../store/transitions.ts';
import { liveRains, readRain, redisNow, settledRains, type LiveRain } from '../store/rains.ts';
import { draftRain } from '../store/loadPackets.ts';
import { draftOf } from '../operator/commitment.ts';
import type { OperatorContext } from '../operator/context.ts';
import { hasLost } from '../operator/lostRains.ts';
import { settleRain, type AfterReconnect, type Replicated, type Settling } from '../operator/settle.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { SETTLE_AFTER_RECONNECT_MS } from '../platform/redis/reconnectTimer.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';

export interface SettlerOptions extends AfterReconnect {
  context: OperatorContext;
  log: Logger;
  everyMs?: number;
  /** A rain that is stuck is looked at less and less often, but at least this often, ms. */
  everyMsMax?: number;
  tidyMs?: number;
  /** With replicas, money goes back only when they have the close. */
  replicated?: Replicated;
  /** How long the keys of a settled rain live on. */
  ttlMs?: number;
}

type Look = Settling | { outcome: 'failed'; error: unknown };

/** How a rain that is past its end and not settled stood at the last look. */
interface Stuck {
  where: string;
  restMs: number;
  nextAt: number;
}

/**
 * Looks after all rains past their end until closed. Each stands for itself: one that cannot be settled is told once, is
 * tried again, and holds up no other.
 */
export function startSettler({ context, log, everyMs = 500, everyMsMax = 10_000, tidyMs = 60_000, ttlMs, replicated, sinceReconnect = () => Infinity, settleAfterReconnectMs = SETTLE_AFTER_RECONNECT_MS }: SettlerOptions): Loop {
  const stuck = new Map<string, Stuck>();
  let tidyAt = 0;
  let blind = false;

  async function look(rainId: string, live: LiveRain): Promise<void> {
    const before = stuck.get(rainId);
    if (before && performance.now() < before.nextAt) return;
    const found = await settleRain(context, rainId, live, ttlMs, replicated).catch((error: unknown): Look => ({ outcome: 'failed', error }));
    if (found.outcome === 'not_due' || found.outcome === 'settled') return void stuck.delete(rainId);
    const where = JSON.stringify(found, (_, value: unknown) => (value instanceof Error ? value.message : value));
    const same = before?.where === where;
    if (!same) tell(rainId, found);
    const restMs = same ? Math.min(2 * before.restMs, everyMsMax) : everyMs;
    stuck.set(rainId, { where, restMs, nextAt: performance.now() + restMs });
  }

  function tell(rainId: string, found: Exclude<Look, { outcome: 'not_due' | 'settled' }>): void {
    switch (found.outcome) {
      case 'lost': return log.error({ rainId }, 'Redis has lost a rain that was not settled');
      case 'does_not_add_up': return log.error({ rainId, problems: found.problems }, 'the rain does not add up and is not settled');
      case 'waiting': return log.debug({ rainId, pending: found.pending }, 'claims are not in the book yet');
      case 'failed': return log.error({ rainId, err: found.error }, 'settling failed, will try again');
      default: return found satisfies never;
    }
  }

  async function tidy(live: ReadonlyMap<string, LiveRain>): Promise<void> {
    // Rains whose keys have expired need no index entry any more.
    for (const [rainId, settled] of await settledRains(context.redis)) {
      if (!await readRain(context.redis, rainId, settled)) await forget(context.redis, rainId);
    }
    // Cut off before Redis heard of them, and over since: their money has to go back as well.
    for (const rain of await context.ledger.overdue(await redisNow(context.redis))) {
      if (live.has(rain.id)) continue;
      if (await hasLost(context, rain)) tell(rain.id, { outcome: 'lost' });
      else await draftRain(context.redis, await draftOf(context, rain));
    }
  }

  async function round(signal: AbortSignal): Promise<number> {
    if (sinceReconnect() < settleAfterReconnectMs) return everyMs;
    try {
      const live = await liveRains(context.redis);
      for (const rainId of stuck.keys()) if (!live.has(rainId)) stuck.delete(rainId);
      for (const [rainId, rain] of live) if (!signal.aborted && sinceReconnect() >= settleAfterReconnectMs) await look(rainId, rain);
      if (performance.now() >= tidyAt) {
        tidyAt = performance.now() + tidyMs;
        await tidy(live);
      }
      if (blind) log.info('the rains are looked after again');
      blind = false;
    } catch (error) {
      if (!blind) log.error({ err: error }, 'the rains cannot be looked after, will try again');
      blind = true;
    }
    return everyMs;
  }

  return startLoop(round);
}
