import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { listRains } from '../../src/operator/list.ts';
import { loadRain } from '../../src/operator/load.ts';
import { findLostRains } from '../../src/operator/lostRains.ts';
import { applyRestore } from '../../src/operator/restore/apply.ts';
import { compareRain } from '../../src/operator/restore/compare.ts';
import { rescheduleRain } from '../../src/operator/schedule.ts';
import { closeRain, pauseRain, resumeRain } from '../../src/operator/transitions.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { findRain, readRain, redisNow } from '../../src/store/rains.ts';
import { EPOCH_KEY, LIVE_RAINS_KEY, SETTLED_RAINS_KEY, shardKeys } from '../../src/store/keys.ts';
import { settle } from '../../src/store/transitions.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { stockRain } from '../support/rain.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
afterAll(() => context.stop());
beforeEach(() => context.redis.flushall());

const counts = async (id: string) => (await compareRain(context, id))!.counts;
const apply = (id: string, reason?: string) =>
  applyRestore(context, id, { ...(reason !== undefined && { reason }), waitMs: 5_000 });
const grab = async (id: string, user: string) =>
  (
    await createGrabEngine(context.redis, (fault) => {
      throw fault;
    }).grab(id, 0, [user])
  )[0]!.code;
const stored = async (id: string) => (await readRain(context.redis, id, (await findRain(context.redis, id))!))!;
const setWindow = (id: string, opensAt: number, closesAt: number) =>
  context.redis.hset(shardKeys(id, 0).state, { opensAt, closesAt });

/** A loaded rain of five packets that opens in a minute. @returns when */
async function planned(id: string): Promise<{ opensAt: number; closesAt: number }> {
  const opensAt = (await redisNow(context.redis)) + 60_000;
  const window = { opensAt, closesAt: opensAt + 60_000 };
  expect(
    await createRain(context, { id, plan: { budget: '5.00', packets: 5, split: { method: 'even' } }, ...window }),
  ).toMatchObject({ ok: true });
  expect(await loadRain(context, id)).toMatchObject({ ok: true });
  return window;
}

test('Redis is from before the rain was moved: the difference is listed, and it is moved again', async () => {
  const before = await planned('moved');
  const after = { opensAt: before.opensAt + 90_000, closesAt: before.closesAt + 90_000 };
  await rescheduleRain(context, 'moved', after);
  await setWindow('moved', before.opensAt, before.closesAt);
  expect(await counts('moved')).toEqual({ window_not_in_redis: 1 });
  expect(await apply('moved')).toMatchObject({ ok: true, left: { counts: {} } });
  expect(await stored('moved')).toMatchObject(after);
});

test('Redis is from before the rain was put off, and has opened it: it is paused until its start', async () => {
  const before = await planned('early');
  const now = await redisNow(context.redis);
  await context.ledger.reschedule(
    'early',
    { opensAt: now - 5_000, closesAt: before.closesAt },
    { actor: 'test', verb: 'start' },
  );
  await context.ledger.reschedule('early', before, { actor: 'test', verb: 'schedule' });
  await setWindow('early', now - 5_000, before.closesAt);
  expect(await apply('early')).toMatchObject({
    ok: true,
    did: [expect.stringContaining('paused'), expect.stringContaining('repeat')],
    left: { counts: { window_not_in_redis: 1 } },
  });
  expect(await grab('early', 'ann')).toBe('-4');
});

test("the ledger is from before the rain was started: on the operator's word it books the window of Redis, and the wins are no tampering", async () => {
  const booked = await planned('started');
  const now = await redisNow(context.redis);
  await setWindow('started', now - 1_000, now + 600_000);
  expect(await grab('started', 'ann')).toBe('0');
  await context.credit();
  expect(await counts('started')).toEqual({ window_not_in_book: 1 });
  expect(await apply('started')).toMatchObject({ ok: true, left: { counts: { window_not_in_book: 1 } } });
  expect(await context.ledger.rain('started')).toMatchObject(booked);
  expect(await apply('started', 'the backup is older than the start')).toMatchObject({
    ok: true,
    did: [expect.stringContaining('booked')],
    left: { counts: {} },
  });
  expect(await context.ledger.rain('started')).toMatchObject({ opensAt: now - 1_000, closesAt: now + 600_000 });
  expect((await auditRain(context, 'started'))!.problems).toEqual([]);
});

test('Redis is from before the load: the draft is listed and loaded again before its start', async () => {
  await planned('unloaded');
  await context.redis.del(shardKeys('unloaded', 0).packets);
  await context.redis.hset(shardKeys('unloaded', 0).state, 'state', 'draft', 'loaded', 0);
  expect(await findLostRains(context, 0)).toContain('unloaded');
  expect(await counts('unloaded')).toEqual({ not_loaded: 1 });
  expect(await apply('unloaded')).toMatchObject({
    ok: true,
    did: ['loaded it again: it had not opened'],
    left: { counts: {} },
  });
  expect(await findLostRains(context, 0)).not.toContain('unloaded');
  expect(await stored('unloaded')).toMatchObject({ state: 'loaded', left: 5 });
});

test("Redis is from before the load, and the start has passed: it is rebuilt on the operator's word only", async () => {
  await context.wonRain('late', 0);
  await context.redis.del(shardKeys('late', 0).packets);
  await context.redis.hset(shardKeys('late', 0).state, 'state', 'draft', 'loaded', 0);
  expect(await apply('late')).toMatchObject({ ok: false, refusals: [{ field: 'reason' }] });
  expect(await apply('late', 'nobody had won')).toMatchObject({ ok: true, left: { counts: {} } });
  expect(await resumeRain(context, 'late')).toMatchObject({ ok: true });
  expect(await grab('late', 'ann')).toBe('0');
});

test('a list says of a rain that Redis has lost that it is lost, not that it was never loaded', async () => {
  await planned('listed');
  await context.redis.flushall();
  const now = await redisNow(context.redis);
  await createRain(context, {
    id: 'fresh',
    plan: { budget: '5.00', packets: 5 },
    opensAt: now + 60_000,
    closesAt: now + 120_000,
  });
  const states = new Map((await listRains(context)).rains.map(({ rainId, state }) => [rainId, state]));
  expect([states.get('listed'), states.get('fresh')]).toEqual(['lost', 'draft']);
});

test('who resumes an open rain is told that it is open, and one that has not opened that it is loaded', async () => {
  await context.wonRain('rainy', 0);
  await planned('coming');
  for (const id of ['rainy', 'coming']) await pauseRain(context, id);
  expect([await resumeRain(context, 'rainy'), await resumeRain(context, 'coming')]).toEqual([
    { ok: true, state: 'open' },
    { ok: true, state: 'loaded' },
  ]);
});

test('a rain that Redis has settled and an older ledger has not is not lost: Redis has it', async () => {
  await context.wonRain('ended', 2);
  await closeRain(context, 'ended');
  await settle(context.redis, 'ended', { shards: 1, title: 'ended' }, { ttlMs: 60_000 });
  expect(await findLostRains(context)).not.toContain('ended');
  await context.redis.del(shardKeys('ended', 0).state);
  expect(await findLostRains(context)).toContain('ended');
});

test('the winners of a rain that Redis has settled and the ledger does not know are kept, until a newer ledger is back', async () => {
  await stockRain(context.redis, { rainId: 'unbooked', amounts: ['1.00', '1.00'] });
  expect(await grab('unbooked', 'ann')).toBe('0');
  const { state, claims } = shardKeys('unbooked', 0);
  await context.redis.hset(state, 'state', 'settled');
  await context.redis.hset(SETTLED_RAINS_KEY, 'unbooked', (await context.redis.hget(LIVE_RAINS_KEY, 'unbooked'))!);
  await context.redis.hdel(LIVE_RAINS_KEY, 'unbooked');
  for (const key of [state, claims]) await context.redis.pexpire(key, 60_000);
  expect(await apply('unbooked')).toMatchObject({ ok: true, did: [expect.stringContaining('thirty days')] });
  for (const key of [state, claims]) expect(await context.redis.pttl(key)).toBeGreaterThan(60_000);
});

test('with another database than Redis was used with, nothing is restored: the rains that it does not know are not lost', async () => {
  await context.wonRain('right', 1);
  await context.credit();
  await stockRain(context.redis, { rainId: 'theirs', amounts: ['1.00'] });
  await context.redis.sadd(shardKeys('theirs', 0).credited, 'mark');
  await context.redis.hset(EPOCH_KEY, 'store', '00000000-0000-4000-8000-000000000000', 'counter', 5);
  for (const id of ['right', 'theirs'])
    expect(await apply(id, 'my word')).toMatchObject({
      ok: false,
      refusals: [{ field: 'stores', reason: expect.stringContaining('check REDIS_URL and DATABASE_URL') as string }],
    });
  expect(await stored('theirs')).toMatchObject({ state: 'loaded' });
  expect(await context.redis.exists(shardKeys('theirs', 0).credited)).toBe(1);
});
