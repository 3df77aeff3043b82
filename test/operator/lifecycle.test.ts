import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { SETTLED_RAINS_KEY, shardKeys, shardOf } from '../../src/store/keys.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { listRains, showRain } from '../../src/operator/list.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain, pauseRain, resumeRain } from '../../src/operator/transitions.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';
import { withoutAllocation } from '../support/withoutTriggers.ts';

let context: TestContext;
let engine: GrabEngine;

beforeAll(async () => {
  context = await openTestContext();
  engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
});
afterAll(() => context.stop());

async function plan(id: string, more: Partial<CreateRequest> = {}): Promise<void> {
  const now = await redisNow(context.redis);
  expect(
    await createRain(context, {
      id,
      plan: { budget: '100.00', packets: 50 },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
      ...more,
    }),
  ).toMatchObject({ ok: true, rainId: id });
}

async function grabAs(id: string, users: string[], shards = 1): Promise<void> {
  for (const user of users) await engine.grab(id, shardOf(user, shards), [user]);
}

const users = (count: number) => Array.from({ length: count }, (_, i) => `user-${i}`);
const audit = async (id: string) => (await auditRain(context, id))!;

describe('[R8] the money equation holds at every moment', () => {
  test.each([1, 3])('from the plan to the settled ledger, with %i shard(s)', async (shards) => {
    const id = `life-${shards}`;
    await plan(id, { shards });
    expect((await audit(id)).report).toMatchObject({
      budget: '100.00',
      unclaimed: '100.00',
      packets: 50,
      winners: 0,
      balanced: true,
    });
    expect(await loadRain(context, id)).toEqual({ ok: true, packets: 50 });
    expect((await audit(id)).report).toMatchObject({ unclaimed: '100.00', balanced: true });

    await grabAs(id, users(30), shards);
    const won = (await Promise.all(Array.from({ length: shards }, (_, shard) => claimLog(context, id, shard)))).flat();
    expect(won).toHaveLength(30);
    const afterGrabs = (await audit(id)).report;
    expect(afterGrabs).toMatchObject({ winners: 30, credited: '0.00', balanced: true });
    expect(afterGrabs.pending).not.toBe('0.00');

    await context.ledger.credit(won.slice(0, 10));
    expect((await audit(id)).report).toMatchObject({ winners: 30, balanced: true });

    const live = (await findRain(context.redis, id))!;
    expect(await settleRain(context, id, live)).toEqual({ outcome: 'not_due' });
    expect(await closeRain(context, id)).toEqual({ ok: true, state: 'closed' });
    expect(await settleRain(context, id, live)).toEqual({ outcome: 'waiting', pending: 20 });
    await context.ledger.credit(won);
    expect(await settleRain(context, id, live)).toEqual({ outcome: 'settled' });
    const settled = (await audit(id)).report;
    expect(settled).toMatchObject({ pending: '0.00', unclaimed: '0.00', spoiled: '0.00', winners: 30, balanced: true });
    expect(settled.credited).toBe(afterGrabs.pending);
    expect(settled.recycled).toBe(afterGrabs.unclaimed);
    expect(await settleRain(context, id, live)).toEqual({ outcome: 'settled' });
    expect(await context.ledger.sumOfBalances()).toBe(0n);
    expect((await showRain(context, id))!).toMatchObject({ state: 'settled', claims: 30, credited: 30 });
    expect(await context.redis.hexists(SETTLED_RAINS_KEY, id)).toBe(1);

    // After the keys in Redis expire, the ledger alone is balanced.
    for (let shard = 0; shard < shards; shard++) await context.redis.del(...Object.values(shardKeys(id, shard)));
    expect((await audit(id)).report).toEqual(settled);
  });

  test('a malformed element is audited as spoiled, with the amount that was allocated to it', async () => {
    await plan('spoilt', { plan: { budget: '10.00', packets: 10, split: { method: 'even' } } });
    await loadRain(context, 'spoilt');
    await context.redis.lset(shardKeys('spoilt', 0).packets, -2, '{"redPacketId":"spoilt-1","amo');
    await grabAs('spoilt', users(4));
    expect(await context.redis.llen(shardKeys('spoilt', 0).spoiled)).toBe(1);
    expect((await claimLog(context, 'spoilt')).map(({ redPacketId }) => redPacketId)).toEqual([
      'spoilt-0',
      'spoilt-2',
      'spoilt-3',
      'spoilt-4',
    ]);
    expect((await audit('spoilt')).report).toMatchObject({
      pending: '4.00',
      unclaimed: '5.00',
      spoiled: '1.00',
      winners: 4,
      balanced: true,
    });
  });

  test('a missing, a duplicate and an unallocated packet break the equation, and each is named', async () => {
    for (const [id, harm, problem] of [
      [
        'vanished',
        () => context.redis.rpop(shardKeys('vanished', 0).packets),
        /packets neither won nor left: 1, of which set aside as spoiled: 0/,
      ],
      [
        'twice',
        async () =>
          context.redis.lpush(
            shardKeys('twice', 0).packets,
            (await context.redis.lindex(shardKeys('twice', 0).packets, 5))!,
          ),
        /twice-44 is in the list twice/,
      ],
      [
        'invented',
        () => context.redis.rpush(shardKeys('invented', 0).packets, '{"redPacketId":"gift","amount":"5.00"}'),
        /gift was won as 5\.00 by \S+ and is not a packet of this rain/,
      ],
      [
        'inflated',
        () => context.redis.lset(shardKeys('inflated', 0).packets, -1, '{"redPacketId":"inflated-0","amount":"50.00"}'),
        /inflated-0 was won as 50.00 and allocated as/,
      ],
    ] as const) {
      await plan(id);
      await loadRain(context, id);
      await harm();
      await grabAs(id, users(3));
      const { report, problems } = await audit(id);
      expect(report.balanced, id).toBe(false);
      expect(problems.join('\n')).toMatch(problem);
      await closeRain(context, id);
      await withoutAllocation(context, id);
      await context.ledger.credit(await claimLog(context, id));
      expect((await settleRain(context, id, (await findRain(context.redis, id))!)).outcome, id).toBe('does_not_add_up');
      expect((await context.ledger.book(id))!.recycledCents, id).toBe(0n);
    }
  });

  test('the audit is balanced at any moment of an open rain', async () => {
    await plan('swing', { plan: { budget: '1000.00', packets: 2_000 }, shards: 2 });
    await loadRain(context, 'swing');
    let done = false;
    const grabbing = (async () => {
      for (let i = 0; i < 3_000; i += 50) {
        const batch = users(3_000).slice(i, i + 50);
        for (const shard of [0, 1])
          await engine.grab(
            'swing',
            shard,
            batch.filter((user) => shardOf(user, 2) === shard),
          );
        if (i % 500 === 0) await context.ledger.credit(await claimLog(context, 'swing', 0));
      }
      done = true;
    })();
    let audits = 0;
    while (!done || audits < 2) {
      const { report, problems } = await audit('swing');
      expect(problems).toEqual([]);
      expect(report.balanced).toBe(true);
      audits++;
    }
    await grabbing;
  });

  test('a draft that was never loaded is closed and recycled completely', async () => {
    await plan('never');
    await closeRain(context, 'never');
    expect(await loadRain(context, 'never')).toMatchObject({ ok: false });
    expect(await settleRain(context, 'never', (await findRain(context.redis, 'never'))!)).toEqual({
      outcome: 'settled',
    });
    expect((await audit('never')).report).toMatchObject({ recycled: '100.00', unclaimed: '0.00', balanced: true });
  });
});

describe('the operator commands', () => {
  test('creating the same rain again is harmless; another plan under its id is refused and names what differs', async () => {
    const now = await redisNow(context.redis);
    const request: CreateRequest = {
      id: 'same',
      plan: { budget: '5.00', packets: 5 },
      opensAt: now + 60_000,
      closesAt: now + 120_000,
    };
    expect(await createRain(context, request)).toMatchObject({ ok: true });
    expect(await createRain(context, request)).toMatchObject({ ok: true });
    expect(await createRain(context, { ...request, plan: { budget: '6.00', packets: 5 } })).toEqual({
      ok: false,
      refusals: [{ field: 'id', reason: 'a rain same exists already, with another budget, plan' }],
    });
    expect((await context.ledger.book('same'))!.fundedCents).toBe(500n);
  });

  test('a create that was cut between ledger and Redis is finished by load', async () => {
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
        opensAt: now,
        closesAt: now + 60_000,
      },
      'test',
    );
    expect(await showRain(context, 'cut')).toMatchObject({ state: 'draft', left: 0 });
    expect(await loadRain(context, 'cut')).toEqual({ ok: true, packets: 5 });
    expect(await showRain(context, 'cut')).toMatchObject({ state: 'open', left: 5 });
  });

  test.each<[string, Partial<CreateRequest>, string]>([
    ['an end before the start', { opensAt: 2_000_000_000_000, closesAt: 1_999_999_999_999 }, 'closesAt'],
    ['a window in the past', { opensAt: 1_000, closesAt: 2_000 }, 'opensAt'],
    ['a start in a hundred years', { opensAt: 5_000_000_000_000, closesAt: 5_000_000_060_000 }, 'opensAt'],
    ['an id with braces', { id: 'a{b}' }, 'id'],
    ['a title that no database can hold', { title: 'nul\0' }, 'title'],
    ['no shards', { shards: 0 }, 'shards'],
    ['a budget of nothing', { plan: { budget: '0.00', packets: 5 } }, 'budget'],
    ['more packets than cents', { plan: { budget: '0.05', packets: 6 } }, 'packets'],
  ])('[R12] %s is refused by its field, and nothing is written', async (_, request, field) => {
    const now = await redisNow(context.redis);
    const [rains, keys] = [await listRains(context), await context.redis.dbsize()];
    const refused = await createRain(context, {
      id: 'bad',
      plan: { budget: '5.00', packets: 5 },
      opensAt: now,
      closesAt: now + 60_000,
      ...request,
    });
    expect(refused).toMatchObject({ ok: false });
    expect(!refused.ok && refused.refusals.map((refusal) => refusal.field)).toContain(field);
    expect(await listRains(context)).toEqual(rains);
    expect(await context.redis.dbsize()).toBe(keys);
  });

  test('pause and resume report the state; every action is recorded with its operator', async () => {
    await plan('steered');
    expect(await pauseRain(context, 'steered')).toEqual({
      ok: false,
      refusals: [{ field: 'state', reason: expect.stringContaining('draft') as string }],
    });
    await loadRain(context, 'steered');
    expect(await pauseRain(context, 'steered')).toEqual({ ok: true, state: 'paused' });
    expect(await resumeRain(context, 'steered')).toEqual({ ok: true, state: 'open' });
    expect(await closeRain(context, 'steered')).toEqual({ ok: true, state: 'closed' });
    expect(await resumeRain(context, 'steered')).toMatchObject({ ok: false });
    expect(await pauseRain(context, 'nowhere')).toMatchObject({ ok: false, refusals: [{ field: 'id' }] });
    expect((await context.ledger.actions('steered')).map(({ actor, verb }) => [actor, verb])).toEqual(
      ['create', 'load', 'pause', 'resume', 'close'].map((verb) => ['test', verb]),
    );
  });

  test('a load that goes on after users have won and been credited holds nothing', async () => {
    await plan('begun', { shards: 2 });
    // Cut after the first shard.
    const cut = new Error('cut');
    await expect(
      loadRain(context, 'begun', (loaded) => {
        if (loaded >= 25) throw cut;
      }),
    ).rejects.toThrow(cut);
    await grabAs('begun', users(8));
    const claims = await claimLog(context, 'begun', 0);
    expect(claims.length).toBeGreaterThan(0);
    await context.ledger.credit(claims);
    expect(await loadRain(context, 'begun')).toEqual({ ok: true, packets: 50 });
    expect(await context.redis.hget(shardKeys('begun', 0).state, 'held')).toBe(null);
  });

  test('[R12] a pause that one shard refuses changes no shard', async () => {
    await plan('uneven', { shards: 2 });
    // Loaded half: the first shard is ready, the second still a draft.
    await context.redis.hset(shardKeys('uneven', 0).state, 'state', 'loaded');
    expect(await pauseRain(context, 'uneven')).toMatchObject({ ok: false, refusals: [{ field: 'state' }] });
    expect(await context.redis.hget(shardKeys('uneven', 0).state, 'state')).toBe('loaded');
  });

  test('the same seed gives the same packets', async () => {
    const packets = async (id: string) => {
      await plan(id, { seed: 'cd'.repeat(32) });
      await loadRain(context, id);
      return (await context.redis.lrange(shardKeys(id, 0).packets, 0, -1)).map(
        (element) => (JSON.parse(element) as { amount: string }).amount,
      );
    };
    expect(await packets('seed-1')).toEqual(await packets('seed-2'));
  });
});
