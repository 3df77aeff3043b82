import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { findRain, readRain, redisNow } from '../../src/store/rains.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { recycleRain } from '../../src/operator/recycle.ts';
import { rescheduleRain, startRain, type Scheduled } from '../../src/operator/schedule.ts';
import { closeRain, pauseRain, resumeRain } from '../../src/operator/transitions.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
let engine: GrabEngine;
beforeAll(async () => {
  context = await openTestContext();
  engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
});
afterAll(() => context.stop());

async function planned(
  id: string,
  { opensInMs = 60_000, load = true, ...more }: Partial<CreateRequest> & { opensInMs?: number; load?: boolean } = {},
): Promise<void> {
  const now = await redisNow(context.redis);
  expect(
    await createRain(context, {
      id,
      plan: { budget: '10.00', packets: 5 },
      opensAt: now + opensInMs,
      closesAt: now + opensInMs + 30_000,
      ...more,
    }),
  ).toMatchObject({ ok: true });
  if (load) expect(await loadRain(context, id)).toMatchObject({ ok: true });
}

const grab = async (id: string, user: string) => (await engine.grab(id, 0, [user]))[0]!.code;
const why = (done: Scheduled) => (done.ok ? undefined : done.refusals[0]);
const read = async (id: string) => (await readRain(context.redis, id, (await findRain(context.redis, id))!))!;

describe('starting a rain now', () => {
  test('[R7] opens it at once and keeps its duration, in Redis and in the ledger', async () => {
    await planned('now');
    expect(await grab('now', 'anna')).toBe('-2');
    const before = await redisNow(context.redis);
    const done = await startRain(context, 'now');
    if (!done.ok) throw new Error(JSON.stringify(done.refusals));
    expect(done.state).toBe('open');
    expect(done.opensAt).toBeGreaterThanOrEqual(before);
    expect(done.opensAt).toBeLessThanOrEqual(await redisNow(context.redis));
    expect(done.closesAt - done.opensAt).toBe(30_000);
    expect(await grab('now', 'anna')).toBe('0');
    expect(await read('now')).toMatchObject({ opensAt: done.opensAt, closesAt: done.closesAt });
    expect(await context.ledger.rain('now')).toMatchObject({ opensAt: done.opensAt, closesAt: done.closesAt });
    expect((await context.ledger.actions('now')).at(-1)).toMatchObject({
      actor: 'test',
      verb: 'start',
      details: { opensAt: new Date(done.opensAt).toISOString() },
    });
    // Asked again it is the same start.
    expect(await startRain(context, 'now')).toEqual(done);
    expect((await context.ledger.actions('now')).filter(({ verb }) => verb === 'start')).toHaveLength(1);
  });

  test('with a countdown opens it at its end, not before; a repetition without one opens it at once', async () => {
    await planned('countdown');
    const done = await startRain(context, 'countdown', { inMs: 30_000 });
    expect(done).toMatchObject({ ok: true, state: 'loaded' });
    expect(await grab('countdown', 'anna')).toBe('-2');
    expect(await startRain(context, 'countdown', { inMs: 30_000 })).toEqual(done);
    expect(await startRain(context, 'countdown')).toMatchObject({ ok: true, state: 'open' });
    expect(await grab('countdown', 'anna')).toBe('0');
  });

  test('of a paused one leaves it paused', async () => {
    await planned('paused');
    await pauseRain(context, 'paused');
    expect(await startRain(context, 'paused')).toMatchObject({ ok: true, state: 'paused' });
    expect(await grab('paused', 'anna')).toBe('-4');
    await resumeRain(context, 'paused');
    expect(await grab('paused', 'anna')).toBe('0');
  });

  test('[R12] is refused for a draft, one that has opened by itself, one that is over, and one that opens sooner', async () => {
    await planned('draft', { load: false });
    await planned('opened', { opensInMs: -1_000 });
    await planned('over');
    await closeRain(context, 'over');
    await planned('soon', { opensInMs: 20_000 });
    expect(why(await startRain(context, 'draft'))).toEqual({
      field: 'state',
      reason: 'only a loaded rain can be started, draft is draft; load it first',
    });
    expect(why(await startRain(context, 'opened'))!.reason).toContain('has opened at');
    expect(why(await startRain(context, 'over'))!.reason).toContain('over is closed');
    expect(why(await startRain(context, 'soon', { inMs: 40_000 }))!.field).toBe('in');
    expect(why(await startRain(context, 'soon', { inMs: 90_000 }))).toEqual({
      field: 'in',
      reason: 'expected 0s to 60s',
    });
    expect(why(await startRain(context, 'nowhere'))!.reason).toBe('there is no rain nowhere');
    expect((await context.ledger.actions('soon')).map(({ verb }) => verb)).toEqual(['create', 'load']);
  });

  test('keeps the rain intact: it can be topped up, written to Redis again and settled', async () => {
    await planned('same');
    await startRain(context, 'same');
    expect(await topUpRain(context, 'same', { budget: '1.00', packets: 1 })).toMatchObject({ ok: true, loaded: true });
    expect(await loadRain(context, 'same')).toMatchObject({ ok: true });
    await closeRain(context, 'same');
    expect(await recycleRain(context, 'same')).toEqual({ ok: true, state: 'settled', amount: '11.00' });
  });
});

describe('moving a rain', () => {
  test('moves it while it has not opened, also as a draft, and loads where it was moved to', async () => {
    await planned('moved', { load: false });
    const opensAt = (await redisNow(context.redis)) + 7_200_000;
    const there = { opensAt, closesAt: opensAt + 5_000 };
    expect(await rescheduleRain(context, 'moved', there)).toEqual({ ok: true, state: 'draft', ...there });
    expect(await rescheduleRain(context, 'moved', there)).toEqual({ ok: true, state: 'draft', ...there });
    expect(await loadRain(context, 'moved')).toMatchObject({ ok: true });
    expect(await read('moved')).toMatchObject({ state: 'loaded', ...there });
    expect((await context.ledger.actions('moved')).map(({ verb }) => verb)).toEqual(['create', 'schedule', 'load']);
  });

  test('[R7][R12] is refused for one that has opened or is about to open, and for an invalid window', async () => {
    await planned('running', { opensInMs: -1_000 });
    await planned('moment', { opensInMs: 700 });
    await planned('still');
    const now = await redisNow(context.redis);
    const later = { opensAt: now + 60_000, closesAt: now + 90_000 };
    expect(why(await rescheduleRain(context, 'running', later))!.reason).toContain('running is open');
    expect(why(await rescheduleRain(context, 'moment', later))!.reason).toMatch(/is about to open|moment is open/);
    expect(why(await rescheduleRain(context, 'still', { opensAt: now + 5, closesAt: now + 5 }))!.field).toBe(
      'closesAt',
    );
    expect(
      why(await rescheduleRain(context, 'still', { opensAt: now - 9_000, closesAt: now - 5_000 }))!.reason,
    ).toContain('has passed already');
    expect(why(await rescheduleRain(context, 'still', { opensAt: 1.5, closesAt: now }))!.field).toBe('opensAt');
    expect(await read('running')).toMatchObject({ opensAt: (await context.ledger.rain('running'))!.opensAt });
  });
});

describe('settling by hand', () => {
  test('[R8] gives back the unclaimed money once, and repeats its answer', async () => {
    await planned('hand', { opensInMs: -1_000, plan: { budget: '10.00', packets: 10, split: { method: 'even' } } });
    await engine.grab('hand', 0, ['anna', 'bob']);
    expect(await recycleRain(context, 'hand')).toMatchObject({
      ok: false,
      refusals: [{ field: 'state', reason: expect.stringContaining('end it first with close') as string }],
    });
    await closeRain(context, 'hand');
    expect(await recycleRain(context, 'hand')).toMatchObject({
      ok: false,
      refusals: [{ field: 'state', reason: expect.stringContaining('won and not yet credited: 2') as string }],
    });
    await context.ledger.credit(await claimLog(context, 'hand'));
    const done = await recycleRain(context, 'hand');
    expect(done).toEqual({ ok: true, state: 'settled', amount: '8.00' });
    expect(await recycleRain(context, 'hand')).toEqual(done);
    expect((await context.ledger.actions('hand')).filter(({ verb }) => verb === 'recycle')).toMatchObject([
      { actor: 'test' },
    ]);
  });

  test('moves no money while replicas lack the close, while the audit is not balanced, or for an unknown rain', async () => {
    await planned('alone', { opensInMs: -1_000 });
    await closeRain(context, 'alone');
    expect(await recycleRain(context, 'alone', { replicated: async () => false })).toMatchObject({
      ok: false,
      refusals: [{ reason: expect.stringContaining('replicas') as string }],
    });
    expect((await context.ledger.book('alone'))!.recycledCents).toBe(0n);
    await planned('short', { opensInMs: -1_000 });
    await closeRain(context, 'short');
    await context.redis.rpop('rain:{short/0}:packets');
    expect(await recycleRain(context, 'short')).toMatchObject({ ok: false, refusals: [{ field: 'audit' }] });
    expect(await recycleRain(context, 'nowhere')).toMatchObject({
      ok: false,
      refusals: [{ field: 'id', reason: 'there is no rain nowhere' }],
    });
  });
});
