import { close, pause, resume } from '../grab/phases.ts';
import { findRain } from '../grab/reading.ts';
import type { RainState } from '../rain/rain.ts';
import { refuse, type Desk, type Refused } from './desk.ts';

type Steered = { ok: true; state: RainState } | Refused;

async function steer(desk: Desk, verb: 'pause' | 'resume' | 'close', rainId: string): Promise<Steered> {
  const live = await findRain(desk.redis, rainId);
  if (!live) return refuse('id', `there is no live rain ${rainId}`);
  const done = await turn(desk, verb, rainId, live.shards);
  if (done.ok) await desk.ledger.record({ actor: desk.actor, verb, rainId, details: {} });
  return done;
}

async function turn({ redis }: Desk, verb: 'pause' | 'resume' | 'close', rainId: string, shards: number): Promise<Steered> {
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

/** Stops granting; the window runs on. */
export const pauseRain = (desk: Desk, rainId: string): Promise<Steered> => steer(desk, 'pause', rainId);
export const resumeRain = (desk: Desk, rainId: string): Promise<Steered> => steer(desk, 'resume', rainId);
/** Ends a rain now, for good. The workers then credit what was won, recycle the rest and settle. */
export const closeRain = (desk: Desk, rainId: string): Promise<Steered> => steer(desk, 'close', rainId);
