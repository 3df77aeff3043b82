import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { remembersEnd } from '../../src/store/endedRains.ts';
import { ENDED_RAINS_KEY, LIVE_RAINS_KEY, SETTLED_RAINS_KEY, shardKeys } from '../../src/store/keys.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { restoreSentWins } from '../../src/grab/restore.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import type { Loop } from '../../src/platform/concurrency/loop.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { startSettler } from '../../src/maintenance/settler.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { signer } from '../support/signer.ts';
import { rewriteLedger } from './epochStage.ts';

let context: TestContext;
const settlers: Loop[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(settlers.splice(0).map((settler) => settler.close()));
});
afterAll(() => context.stop());

function startSettling(): void {
  settlers.push(startSettler({ context, log: createLog('settler', 'silent'), everyMs: 20, tidyMs: 50 }));
}

/** Ten packets of 1.00; `winners` take the first ones and are credited; then it is closed. */
async function closedRain(
  id: string,
  {
    winners = 2,
    harm = async () => {},
    ...more
  }: Partial<CreateRequest> & { winners?: number; harm?: () => Promise<unknown> } = {},
): Promise<void> {
  const now = await redisNow(context.redis);
  await createRain(context, {
    id,
    plan: { budget: '10.00', packets: 10, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    ...more,
  });
  await loadRain(context, id);
  await harm();
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  if (winners > 0)
    await engine.grab(
      id,
      0,
      Array.from({ length: winners }, (_, i) => `user-${i}`),
    );
  await context.ledger.credit(await claimLog(context, id));
  await closeRain(context, id);
}

const isSettled = (id: string) =>
  eventually(async () => expect((await context.ledger.rain(id))!.settledAt).toBeDefined());
const report = async (id: string) => (await auditRain(context, id))!.report;

describe('the settler', () => {
  test('[R8] after Redis was unreachable, no money goes back before the gateways had time to restore their wins', async () => {
    await closedRain('returned');
    let since = 0;
    const asked = { times: 0 };
    settlers.push(
      startSettler({
        context,
        log: createLog('settler', 'silent'),
        everyMs: 5,
        settleAfterReconnectMs: 1_000,
        sinceReconnect: () => {
          asked.times++;
          return since;
        },
      }),
    );
    await eventually(() => asked.times > 20);
    expect((await context.ledger.book('returned'))!.recycledCents).toBe(0n);
    since = 1_000;
    await isSettled('returned');
    expect(await report('returned')).toMatchObject({ recycled: '8.00', balanced: true });
  });

  test('a rain that has waited for its claims for minutes is a warning, once', async () => {
    await closedRain('waiting', { winners: 0 });
    await context.redis.lpush(shardKeys('waiting', 0).claims, 'torn');
    const { log, heard } = listeningLog();
    let visits = 0;
    const ledger = { ...context.ledger, book: (rainId: string) => (visits++, context.ledger.book(rainId)) };
    settlers.push(startSettler({ context: { ...context, ledger }, log, everyMs: 5, waitingMs: 200 }));
    const warnings = () => heard.filter(({ msg }) => msg.includes('claims are still not in the ledger'));
    await eventually(() => expect(warnings()).toMatchObject([{ level: 'warn', rainId: 'waiting', pending: 1 }]));
    const since = visits;
    await eventually(() => visits > since + 2, { timeoutMs: 30_000 });
    expect(warnings()).toHaveLength(1);
    await context.redis.del(shardKeys('waiting', 0).claims);
    await isSettled('waiting');
  });

  test('[R8] no win is restored once money goes back, so that no claim is left unpaid in a settled rain', async () => {
    await closedRain('too-late');
    const told = {
      rainId: 'too-late',
      shard: 0,
      userId: 'ann',
      redPacketId: 'too-late-5',
      amount: '1.00',
      at: Date.now(),
    };
    const ledger: typeof context.ledger = {
      ...context.ledger,
      async recycle(...asked) {
        await expect(restoreSentWins(context.redis, signer, [told])).rejects.toThrow('is being settled');
        return context.ledger.recycle(...asked);
      },
    };
    const live = (await findRain(context.redis, 'too-late'))!;
    expect(await settleRain({ ...context, ledger }, 'too-late', live)).toEqual({ outcome: 'settled' });
    expect(await restoreSentWins(context.redis, signer, [told])).toMatchObject([
      { lost: { why: 'settled', claims: [told] } },
    ]);
    expect(await report('too-late')).toMatchObject({
      credited: '2.00',
      recycled: '8.00',
      pending: '0.00',
      balanced: true,
    });
  });

  test('[R8] a rain that was closed early and that a restored ledger has not settled is taken up before its planned end', async () => {
    await closedRain('restored-early');
    expect(await settleRain(context, 'restored-early', (await findRain(context.redis, 'restored-early'))!)).toEqual({
      outcome: 'settled',
    });
    await rewriteLedger(
      context,
      `UPDATE "Rain" SET "settledAt" = NULL, "sealedAt" = NULL WHERE "id" = 'restored-early'`,
    );
    startSettling();
    await isSettled('restored-early');
    expect(await report('restored-early')).toMatchObject({ credited: '2.00', recycled: '8.00', balanced: true });
  });

  test('[R7] a rain that was closed early and is opened again in Redis, by a failover or by hand, is closed again and settled', async () => {
    await closedRain('reopened');
    await context.redis.hset(shardKeys('reopened', 0).state, { state: 'loaded' });
    startSettling();
    await isSettled('reopened');
    expect(await report('reopened')).toMatchObject({ credited: '2.00', recycled: '8.00', balanced: true });
  });

  test('a rain that cannot be settled delays no other', async () => {
    await context.redis.hset(LIVE_RAINS_KEY, 'a-stranger', JSON.stringify({ shards: 1, title: 'of another book' }));
    await context.redis.hset(shardKeys('a-stranger', 0).state, {
      rainId: 'a-stranger',
      state: 'closed',
      opensAt: '1',
      closesAt: '2',
      packets: '0',
      loaded: '0',
    });
    await closedRain('a-broken');
    await context.redis.del(shardKeys('a-broken', 0).packets);
    await context.redis.set(shardKeys('a-broken', 0).packets, 'not a list');
    await closedRain('good');
    startSettling();
    await isSettled('good');
    expect(await report('good')).toMatchObject({ credited: '2.00', recycled: '8.00', balanced: true });
    expect((await context.ledger.book('a-broken'))!.recycledCents).toBe(0n);
    await context.redis.hdel(LIVE_RAINS_KEY, 'a-stranger', 'a-broken');
  });

  test('a malformed packet that nobody reached does not block the rest, and goes back with it', async () => {
    await closedRain('unreached', { harm: () => context.redis.lset(shardKeys('unreached', 0).packets, 0, 'torn') });
    expect(await report('unreached')).toMatchObject({
      credited: '2.00',
      unclaimed: '7.00',
      spoiled: '1.00',
      balanced: true,
    });
    startSettling();
    await isSettled('unreached');
    expect(await report('unreached')).toMatchObject({
      credited: '2.00',
      unclaimed: '0.00',
      recycled: '8.00',
      spoiled: '0.00',
      balanced: true,
    });
  });

  test('[R8] spoiled money goes back, and the ledger alone is balanced after the keys in Redis have expired', async () => {
    await closedRain('spoilt', { harm: () => context.redis.lset(shardKeys('spoilt', 0).packets, -1, 'torn') });
    expect(await report('spoilt')).toMatchObject({
      credited: '2.00',
      unclaimed: '7.00',
      spoiled: '1.00',
      balanced: true,
    });
    startSettling();
    await isSettled('spoilt');
    const settled = await report('spoilt');
    expect(settled).toMatchObject({ recycled: '8.00', spoiled: '0.00', balanced: true });
    await context.redis.del(...Object.values(shardKeys('spoilt', 0)));
    expect(await report('spoilt')).toEqual(settled);
  });

  test('the money of a create that was cut before Redis goes back when its time is over', async () => {
    const now = await redisNow(context.redis);
    await context.ledger.createRain(
      {
        id: 'cut',
        title: 'cut',
        budgetCents: 500n,
        packets: 5,
        split: { budget: '5.00', packets: 5 },
        seed: 'ab'.repeat(32),
        shards: 2,
        opensAt: now - 2_000,
        closesAt: now - 1_000,
      },
      'test',
    );
    startSettling();
    await isSettled('cut');
    expect(await report('cut')).toMatchObject({ recycled: '5.00', unclaimed: '0.00', balanced: true });
  });

  test('the money of a rain with wins that Redis has lost does not go back', async () => {
    const now = await redisNow(context.redis);
    await closedRain('flushed', { closesAt: now + 300 });
    await context.redis.del(...Object.values(shardKeys('flushed', 0)));
    await context.redis.hdel(LIVE_RAINS_KEY, 'flushed');
    await eventually(async () => expect(await redisNow(context.redis)).toBeGreaterThan(now + 300));
    startSettling();
    await closedRain('after');
    await isSettled('after');
    expect(await context.ledger.book('flushed')).toMatchObject({ recycledCents: 0n });
    expect(await findRain(context.redis, 'flushed')).toBeUndefined();
    // Neither may the packets be handed out again.
    expect(await loadRain(context, 'flushed')).toMatchObject({
      ok: false,
      refusals: [{ field: 'id', reason: expect.stringContaining('lost') as string }],
    });
  });

  test('a rain that was settled before PostgreSQL came back from an older backup is not drafted and settled again without its winners', async () => {
    const now = await redisNow(context.redis);
    await context.ledger.createRain(
      {
        id: 'forgotten',
        title: 'forgotten',
        budgetCents: 500n,
        packets: 5,
        split: { budget: '5.00', packets: 5 },
        seed: 'ab'.repeat(32),
        shards: 1,
        opensAt: now - 2_000,
        closesAt: now - 1_000,
      },
      'test',
    );
    // Its keys have expired; the index of settled rains still names it, and later only the record of the end.
    await context.redis.hset(SETTLED_RAINS_KEY, 'forgotten', JSON.stringify({ shards: 1, title: 'forgotten' }));
    startSettling();
    await eventually(async () => expect(await remembersEnd(context.redis, 'forgotten')).toBe(true));
    await closedRain('meanwhile');
    await isSettled('meanwhile');
    expect(await findRain(context.redis, 'forgotten')).toBeUndefined();
    expect(await context.ledger.book('forgotten')).toMatchObject({ recycledCents: 0n });
    await context.redis.hset(ENDED_RAINS_KEY, 'ancient', 1);
    await eventually(async () => expect(await remembersEnd(context.redis, 'ancient')).toBe(false));
    expect(await remembersEnd(context.redis, 'forgotten')).toBe(true);
  });

  test('[R8] money goes back only when the replicas have the close', async () => {
    await closedRain('replicated');
    const live = (await findRain(context.redis, 'replicated'))!;
    expect(await settleRain(context, 'replicated', live, 60_000, async () => false)).toEqual({
      outcome: 'waiting',
      pending: 0,
    });
    expect(await context.ledger.book('replicated')).toMatchObject({ recycledCents: 0n });
    expect(await settleRain(context, 'replicated', live, 60_000, async () => true)).toEqual({ outcome: 'settled' });
    expect(await context.ledger.book('replicated')).toMatchObject({ recycledCents: 800n });
  });

  test('[R8] a rain that is settled in the ledger and opened again by a failover is closed at once, whatever its window', async () => {
    await closedRain('undone');
    await context.ledger.recycle('undone', 800n, 'test');
    await context.ledger.settle('undone');
    await context.redis.hset(shardKeys('undone', 0).state, 'state', 'loaded');
    expect(await settleRain(context, 'undone', (await findRain(context.redis, 'undone'))!)).toEqual({
      outcome: 'settled',
    });
    const engine = createGrabEngine(context.redis, (fault) => {
      throw fault;
    });
    expect(await engine.grab('undone', 0, ['late'])).toEqual([{ code: '-3' }]);
  });

  test('settled in the ledger and cut between the shards, it is finished even when the first shard has expired', async () => {
    await closedRain('half', { winners: 0, shards: 2 });
    const live = (await findRain(context.redis, 'half'))!;
    await context.ledger.recycle('half', 1_000n, 'test');
    await context.ledger.settle('half');
    await context.redis.del(...Object.values(shardKeys('half', 0)));
    expect(await settleRain(context, 'half', live)).toEqual({ outcome: 'settled' });
    expect(await context.redis.pttl(shardKeys('half', 1).state)).toBeGreaterThan(0);
    expect(await context.redis.hexists(LIVE_RAINS_KEY, 'half')).toBe(0);
  });
});

describe('a settled rain', () => {
  test('is not created again, nor loaded', async () => {
    const now = await redisNow(context.redis);
    const request = { id: 'done', opensAt: now - 1_000, closesAt: now + 600_000 };
    await closedRain('done', request);
    startSettling();
    await isSettled('done');
    await context.redis.del(...Object.values(shardKeys('done', 0)));
    const refused = { ok: false, refusals: [{ field: 'id', reason: 'the rain done is settled' }] };
    expect(
      await createRain(context, { ...request, plan: { budget: '10.00', packets: 10, split: { method: 'even' } } }),
    ).toEqual(refused);
    expect(await loadRain(context, 'done')).toEqual(refused);
    expect(await report('done')).toMatchObject({ credited: '2.00', recycled: '8.00', balanced: true });
  });
});
