import { close, pause, resume } from '../store/transitions.ts';
import { hasOlderLabels, olderLabelsReason } from '../store/olderLabels.ts';
import { findRain, readRain, redisNow } from '../store/rains.ts';
import { formatMoney } from '../rain/money.ts';
import { stateAt, type RainState } from '../rain/rain.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { auditRain } from './audit.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { wasLoaded } from './lostRains.ts';
import { goneReason, lostReason, onlyInRedisReason } from './restore/presence.ts';

/** `held`: why nothing is granted all the same, see `src/store/holds.ts`. */
type Transitioned = { ok: true; state: RainState; held?: string } | Refused;

function transition(
  verb: 'pause' | 'resume' | 'close',
  apply: (redis: RedisClient, rainId: string, shards: number) => Promise<Transitioned>,
) {
  return async (context: OperatorContext, rainId: string): Promise<Transitioned> => {
    const live = await findRain(context.redis, rainId);
    if (!live) return noLiveRain(context, rainId);
    if (await hasOlderLabels(context.redis, rainId, live.shards)) return refuse('id', olderLabelsReason(rainId));
    const done = await apply(context.redis, rainId, live.shards);
    if (done.ok) await context.ledger.record({ actor: context.actor, verb, rainId, details: {} });
    return done;
  };
}

/** The refusal for a rain that is not in the index of Redis: it was never loaded, or is lost. */
async function noLiveRain(context: OperatorContext, rainId: string): Promise<Refused> {
  const rain = await context.ledger.rain(rainId);
  return refuse(
    'id',
    rain && rain.settledAt === undefined && (await wasLoaded(context, rainId))
      ? await goneReason(context.redis, rain)
      : `there is no live rain ${rainId}`,
  );
}

/** Stops granting packets; the window keeps running. */
export const pauseRain = transition('pause', async (redis, rainId, shards) => {
  const state = await pause(redis, rainId, shards);
  if (state === undefined) return refuse('id', lostReason(rainId));
  return state === 'paused'
    ? { ok: true, state }
    : refuse('state', `only a loaded rain can be paused, ${rainId} is ${state}`);
});

export const resumeRain = transition('resume', async (redis, rainId, shards) => {
  const state = await resume(redis, rainId, shards);
  const resumed = state === 'loaded' ? await readRain(redis, rainId, { shards, title: '' }) : undefined;
  if (resumed)
    return {
      ok: true,
      state: stateAt(resumed, await redisNow(redis)),
      ...(resumed.held !== undefined && { held: resumed.held }),
    };
  return state === undefined || state === 'loaded'
    ? refuse('id', lostReason(rainId))
    : refuse('state', `only a paused rain can be resumed, ${rainId} is ${state}`);
});

/** Ends a rain now, permanently. The workers then credit all wins, recycle the rest and settle. */
export const closeRain = transition('close', async (redis, rainId, shards) =>
  (await close(redis, rainId, shards, 'early')) ? { ok: true, state: 'closed' } : refuse('id', lostReason(rainId)),
);

/**
 * `left`, `unclaimed`: packets that nobody could win any more, and their money; `won`: packets won so far, which are
 * credited.
 */
type CloseDryRun = { ok: true; left: number; unclaimed: string; won: number } | Refused;

/** The packets that players would lose if the rain were closed now. */
export async function closeDryRun(context: OperatorContext, rainId: string): Promise<CloseDryRun> {
  const live = await findRain(context.redis, rainId);
  if (!live) return noLiveRain(context, rainId);
  const snapshot = await readRain(context.redis, rainId, live);
  if (!snapshot) return refuse('id', await goneReason(context.redis, { id: rainId, shards: live.shards }));
  const audit = await auditRain(context, rainId);
  if (!audit) return refuse('id', onlyInRedisReason(rainId));
  return {
    ok: true,
    left: audit.equation.unclaimed.count,
    unclaimed: formatMoney(audit.equation.unclaimed.cents),
    won: snapshot.claims,
  };
}
