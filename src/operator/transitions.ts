import { close, pause, resume } from '../store/transitions.ts';
import { findRain, readRain } from '../store/rains.ts';
import { formatMoney } from '../rain/money.ts';
import type { RainState } from '../rain/rain.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { auditRain } from './audit.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';

type Transitioned = { ok: true; state: RainState } | Refused;

function transition(verb: 'pause' | 'resume' | 'close', apply: (redis: RedisClient, rainId: string, shards: number) => Promise<Transitioned>) {
  return async (context: OperatorContext, rainId: string): Promise<Transitioned> => {
    const live = await findRain(context.redis, rainId);
    if (!live) return refuse('id', `there is no live rain ${rainId}`);
    const done = await apply(context.redis, rainId, live.shards);
    if (done.ok) await context.ledger.record({ actor: context.actor, verb, rainId, details: {} });
    return done;
  };
}

/** Stops granting packets; the window keeps running. */
export const pauseRain = transition('pause', async (redis, rainId, shards) => {
  const state = await pause(redis, rainId, shards);
  return state === 'paused' ? { ok: true, state } : refuse('state', `only a loaded rain can be paused, ${rainId} is ${state ?? 'gone'}`);
});

export const resumeRain = transition('resume', async (redis, rainId, shards) => {
  const state = await resume(redis, rainId, shards);
  return state === 'loaded' ? { ok: true, state } : refuse('state', `only a paused rain can be resumed, ${rainId} is ${state ?? 'gone'}`);
});

/** Ends a rain now, permanently. The workers then credit all wins, recycle the rest and settle. */
export const closeRain = transition('close', async (redis, rainId, shards) =>
  (await close(redis, rainId, shards, 'early') ? { ok: true, state: 'closed' } : refuse('id', `the rain ${rainId} is gone`)));

/** `left`, `unclaimed`: packets that nobody could win any more, and their money; `won`: packets won so far, which are credited. */
type CloseDryRun = { ok: true; left: number; unclaimed: string; won: number } | Refused;

/** What players would lose if the rain were closed now. */
export async function closeDryRun(context: OperatorContext, rainId: string): Promise<CloseDryRun> {
  const live = await findRain(context.redis, rainId);
  if (!live) return refuse('id', `there is no live rain ${rainId}`);
  const snapshot = await readRain(context.redis, rainId, live);
  const audit = snapshot && await auditRain(context, rainId);
  if (!snapshot || !audit) return refuse('id', `the rain ${rainId} is gone`);
  return { ok: true, left: audit.equation.unclaimed.count, unclaimed: formatMoney(audit.equation.unclaimed.cents), won: snapshot.claims };
}
