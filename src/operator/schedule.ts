import { z } from 'zod';
import { reschedule } from '../store/transitions.ts';
import { findRain, readRain, redisNow } from '../store/rains.ts';
import type { BookedRain, Window } from '../ledger/rains.ts';
import { refusalsOf } from '../rain/refusal.ts';
import { stateAt, type RainState } from '../rain/rain.ts';
import { checkWindow, moment } from './window.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { unknownReason } from './restore/presence.ts';

/** `opensAt`, `closesAt`: epoch ms, by Redis's clock. */
export type Scheduled = { ok: true; state: RainState; opensAt: number; closesAt: number } | Refused;

/**
 * A rain cannot be rescheduled within this time before it opens, ms: it would open while its shards are being updated.
 */
const RESCHEDULE_MARGIN_MS = 1_000;
const IN_MS_MAX = 60_000;
/** Attempts to follow the ledger in one call; whoever reschedules it again updates Redis too [R10]. */
const UPDATES_MAX = 5;

/**
 * Starts a loaded rain now and keeps its duration; a paused rain stays paused. Safe to repeat: the ledger keeps the
 * first start time.
 * @param inMs length of the countdown, so that every screen shows the start before it comes
 */
export async function startRain(
  context: OperatorContext,
  rainId: string,
  { inMs = 0 }: { inMs?: number } = {},
): Promise<Scheduled> {
  if (!(Number.isInteger(inMs) && inMs >= 0 && inMs <= IN_MS_MAX)) return refuse('in', 'expected 0s to 60s');
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', await unknownReason(context, rainId));
  const now = await redisNow(context.redis);
  const state = await stateOf(context, rainId, now);
  if (state !== 'loaded' && state !== 'paused' && state !== 'open')
    return refuse(
      'state',
      `only a loaded rain can be started, ${rainId} is ${state ?? 'gone'}${state === 'draft' ? '; load it first' : ''}`,
    );
  if (now + inMs >= rain.opensAt && (await wasStarted(context, rain))) return move(context, rain, rain);
  if (now >= rain.opensAt)
    return refuse('state', `the rain ${rainId} has opened at ${new Date(rain.opensAt).toISOString()}`);
  const opensAt = now + inMs;
  if (opensAt >= rain.opensAt)
    return refuse('in', `the rain ${rainId} opens before that, at ${new Date(rain.opensAt).toISOString()}`);
  const window = { opensAt, closesAt: rain.closesAt - (rain.opensAt - opensAt) };
  // Only if the window is unchanged since it was read: another operator may have moved the rain meanwhile, and it may
  // already be open.
  if (await context.ledger.reschedule(rainId, window, { actor: context.actor, verb: 'start' }, rain))
    return move(context, rain, window);
  const current = await context.ledger.rain(rainId);
  return current && (await redisNow(context.redis)) + inMs >= current.opensAt && (await wasStarted(context, current))
    ? move(context, current, current)
    : refuse('state', movedMessage(rainId));
}

const windowForm = z.object({ opensAt: moment, closesAt: moment });

/** Moves a rain that has not opened to another window. Safe to repeat. */
export async function rescheduleRain(context: OperatorContext, rainId: string, requested: Window): Promise<Scheduled> {
  const parsed = windowForm.safeParse(requested);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'window') };
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', await unknownReason(context, rainId));
  const now = await redisNow(context.redis);
  const refusal = checkWindow(parsed.data, now);
  if (refusal) return refusal;
  const state = await stateOf(context, rainId, now);
  if (state !== 'draft' && state !== 'loaded' && state !== 'paused')
    return refuse('state', `only a rain that has not opened can be rescheduled, ${rainId} is ${state ?? 'gone'}`);
  const same = parsed.data.opensAt === rain.opensAt && parsed.data.closesAt === rain.closesAt;
  if (!same && now >= rain.opensAt - RESCHEDULE_MARGIN_MS)
    return refuse('state', `the rain ${rainId} is about to open, or has opened`);
  if (
    !same &&
    !(await context.ledger.reschedule(rainId, parsed.data, { actor: context.actor, verb: 'schedule' }, rain))
  ) {
    const current = await context.ledger.rain(rainId);
    if (
      !current ||
      current.sealedAt !== undefined ||
      current.opensAt !== parsed.data.opensAt ||
      current.closesAt !== parsed.data.closesAt
    )
      return refuse('state', movedMessage(rainId));
  }
  return move(context, rain, parsed.data);
}

function movedMessage(rainId: string): string {
  return `the rain ${rainId} was rescheduled by another operator just now, or is over; check it and try again`;
}

/**
 * Writes the ledger's window to every shard, and again if the ledger has changed: the slower of two callers must not
 * win.
 */
async function move(context: OperatorContext, { id, shards }: BookedRain, window: Window): Promise<Scheduled> {
  let current: Awaited<ReturnType<typeof reschedule>>;
  let { opensAt, closesAt } = window;
  for (let moves = 0; ; moves++) {
    current = await reschedule(context.redis, id, shards, { opensAt, closesAt });
    const now = await context.ledger.rain(id);
    if (moves === UPDATES_MAX || !now || (now.opensAt === opensAt && now.closesAt === closesAt)) break;
    ({ opensAt, closesAt } = now);
  }
  if (current === 'gone') return refuse('id', `Redis does not know the rain ${id}; write it again with load`);
  if (current === 'opened') return refuse('state', `the rain ${id} has opened, or is over`);
  const state = await stateOf(context, id, await redisNow(context.redis));
  return state ? { ok: true, state, opensAt, closesAt } : refuse('id', `the rain ${id} is gone`);
}

/** `undefined`: Redis does not have the rain. */
async function stateOf(context: OperatorContext, rainId: string, now: number): Promise<RainState | undefined> {
  const live = await findRain(context.redis, rainId);
  const snapshot = live && (await readRain(context.redis, rainId, live));
  return snapshot && stateAt(snapshot, now);
}

/** Whether the last change of its window was a start. */
async function wasStarted({ ledger }: OperatorContext, { id }: BookedRain): Promise<boolean> {
  return (await ledger.actions(id)).findLast(({ verb }) => verb === 'start' || verb === 'schedule')?.verb === 'start';
}
