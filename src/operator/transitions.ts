import { close, pause, resume } from '../store/transitions.ts';
import { findRain } from '../store/rains.ts';
import type { RainState } from '../rain/rain.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';

type Transitioned = { ok: true; state: RainState } | Refused;

async function transition(context: OperatorContext, verb: 'pause' | 'resume' | 'close', rainId: string): Promise<Transitioned> {
  const live = await findRain(context.redis, rainId);
  if (!live) return refuse('id', `there is no live rain ${rainId}`);
  const done = await apply(context, verb, rainId, live.shards);
  if (done.ok) await context.ledger.record({ actor: context.actor, verb, rainId, details: {} });
  return done;
}

async function apply({ redis }: OperatorContext, verb: 'pause' | 'resume' | 'close', rainId: string, shards: number): Promise<Transitioned> {
  switch (verb) {
    case 'pause': {
      const state = await pause(redis, rainId, shards);
      return state === 'paused' ? { ok: true, state } : refuse('state', `only a loaded rain can be paused, ${rainId} is ${state ?? 'gone'}`);
    }
    case 'resume': {
      const state = await resume(redis, rainId, shards);
      return state === 'loaded' ? { ok: true, state } : refuse('state', `only a paused rain can be resumed, ${rainId} is ${state ?? 'gone'}`);
    }
    case 'close':
      return await close(redis, rainId, shards, 'early') ? { ok: true, state: 'closed' } : refuse('id', `the rain ${rainId} is gone`);
  }
}

/** Stops granting packets; the window keeps running. */
export const pauseRain = (context: OperatorContext, rainId: string): Promise<Transitioned> => transition(context, 'pause', rainId);
export const resumeRain = (context: OperatorContext, rainId: string): Promise<Transitioned> => transition(context, 'resume', rainId);
/** Ends a rain now, permanently. The workers then credit all wins, recycle the rest and settle. */
export const closeRain = (context: OperatorContext, rainId: string): Promise<Transitioned> => transition(context, 'close', rainId);
