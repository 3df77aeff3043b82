import { z } from 'zod';
import { reschedule } from '../store/transitions.ts';
import { findRain, readRain, redisNow } from '../store/rains.ts';
import type { BookedRain, Window } from '../ledger/rains.ts';
import { refusalsOf } from '../rain/refusal.ts';
import { stateAt, type RainState } from '../rain/rain.ts';
import { judgeWindow, moment } from './create.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';

/** `opensAt`, `closesAt`: epoch ms, by Redis's clock. */
export type Scheduled = { ok: true; state: RainState; opensAt: number; closesAt: number } | Refused;

/** So long before it opens a rain is not put off any more, ms: the moment would come while its shards are being told. */
const MARGIN_MS = 1_000;
const IN_MS_MAX = 60_000;
/** So often the book is followed in one call; who moves it once more follows it himself [R10]. */
const MOVES_MAX = 5;

/**
 * Starts a rain that is loaded now, and lets it last as long as it was to last. Paused it stays paused. Safe to repeat: the
 * moment that was chosen first stands in the book, and a start that was cut between two shards is finished by it.
 * @param inMs a countdown of so long, so that every screen shows the moment before it comes
 */
export async function startRain(context: OperatorContext, rainId: string, { inMs = 0 }: { inMs?: number } = {}): Promise<Scheduled> {
  if (!(Number.isInteger(inMs) && inMs >= 0 && inMs <= IN_MS_MAX)) return refuse('in', 'expected 0s to 60s');
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', `there is no rain ${rainId}`);
  const now = await redisNow(context.redis);
  const state = await stateOf(context, rainId, now);
  if (state !== 'loaded' && state !== 'paused' && state !== 'open') return refuse('state', `only a loaded rain can be started, ${rainId} is ${state ?? 'gone'}${state === 'draft' ? '; load it first' : ''}`);
  if (now + inMs >= rain.opensAt && await wasStarted(context, rain)) return move(context, rain, rain);
  if (now >= rain.opensAt) return refuse('state', `the rain ${rainId} has opened at ${new Date(rain.opensAt).toISOString()}`);
  const opensAt = now + inMs;
  if (opensAt >= rain.opensAt) return refuse('in', `the rain ${rainId} opens before that, at ${new Date(rain.opensAt).toISOString()}`);
  const window = { opensAt, closesAt: rain.closesAt - (rain.opensAt - opensAt) };
  // From the window that all this was judged by: who has moved the rain meanwhile may have opened it, perhaps by a click too many.
  if (await context.ledger.reschedule(rainId, window, { actor: context.actor, verb: 'start' }, rain)) return move(context, rain, window);
  const moved = await context.ledger.rain(rainId);
  return moved && await redisNow(context.redis) + inMs >= moved.opensAt && await wasStarted(context, moved) ? move(context, moved, moved) : refuse('state', tellMoved(rainId));
}

const window = z.object({ opensAt: moment, closesAt: moment });

/** Moves a rain that has not opened, to another time altogether if need be. Safe to repeat. */
export async function rescheduleRain(context: OperatorContext, rainId: string, asked: Window): Promise<Scheduled> {
  const parsed = window.safeParse(asked);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'window') };
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', `there is no rain ${rainId}`);
  const now = await redisNow(context.redis);
  const wrong = judgeWindow(parsed.data, now);
  if (wrong) return wrong;
  const state = await stateOf(context, rainId, now);
  if (state !== 'draft' && state !== 'loaded' && state !== 'paused') return refuse('state', `only a rain that has not opened can be moved, ${rainId} is ${state ?? 'gone'}`);
  const same = parsed.data.opensAt === rain.opensAt && parsed.data.closesAt === rain.closesAt;
  if (!same && now >= rain.opensAt - MARGIN_MS) return refuse('state', `the rain ${rainId} opens this moment, or has opened`);
  if (!same && !await context.ledger.reschedule(rainId, parsed.data, { actor: context.actor, verb: 'schedule' }, rain)) {
    const moved = await context.ledger.rain(rainId);
    if (!moved || moved.sealedAt !== undefined || moved.opensAt !== parsed.data.opensAt || moved.closesAt !== parsed.data.closesAt) return refuse('state', tellMoved(rainId));
  }
  return move(context, rain, parsed.data);
}

function tellMoved(rainId: string): string {
  return `the rain ${rainId} was moved by somebody else this moment, or is over; look at it and do it again`;
}

/** What the book says, in every shard: should it say something else by now, then that, lest the slower of two has the last word. */
async function move(context: OperatorContext, { id, shards }: BookedRain, window: Window): Promise<Scheduled> {
  let moved: Awaited<ReturnType<typeof reschedule>>;
  let { opensAt, closesAt } = window;
  for (let moves = 0; ; moves++) {
    moved = await reschedule(context.redis, id, shards, { opensAt, closesAt });
    const now = await context.ledger.rain(id);
    if (moves === MOVES_MAX || !now || (now.opensAt === opensAt && now.closesAt === closesAt)) break;
    ({ opensAt, closesAt } = now);
  }
  if (moved === 'gone') return refuse('id', `Redis does not know the rain ${id}; write it down there again with load`);
  if (moved === 'opened') return refuse('state', `the rain ${id} has opened, or is over`);
  const state = await stateOf(context, id, await redisNow(context.redis));
  return state ? { ok: true, state, opensAt, closesAt } : refuse('id', `the rain ${id} is gone`);
}

async function stateOf(context: OperatorContext, rainId: string, now: number): Promise<RainState | undefined> {
  const live = await findRain(context.redis, rainId);
  const reading = live && await readRain(context.redis, rainId, live);
  return reading && stateAt(reading, now);
}

/** The last that was done about its window was to start it. */
async function wasStarted({ ledger }: OperatorContext, { id }: BookedRain): Promise<boolean> {
  return (await ledger.actions(id)).findLast(({ verb }) => verb === 'start' || verb === 'schedule')?.verb === 'start';
}
