import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { shardKeys, shardOf } from '../../src/grab/keys.ts';
import { findRain, readRain, redisNow } from '../../src/grab/reading.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { showRain } from '../../src/operator/list.ts';
import { allocationOf, loadRain } from '../../src/operator/load.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain, pauseRain } from '../../src/operator/steer.ts';
import { topUpRain, type ToppedUp } from '../../src/operator/topUp.ts';
import { verifyRain } from '../../src/operator/verify.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { claimLog, openTestDesk, type TestDesk } from '../support/desk.ts';
import { tamper } from '../support/plain-sql.ts';
import { overtakenDesk } from './cut.ts';

let desk: TestDesk;
let engine: GrabEngine;
beforeAll(async () => {
  desk = await openTestDesk();
  engine = createGrabEngine(desk.redis, (fault) => { throw fault; });
});
afterAll(() => desk.stop());

const MORE = { budget: '7.00', packets: 7 } as const;

async function plan(id: string, more: Partial<CreateRequest> = {}): Promise<void> {
  const now = await redisNow(desk.redis);
  expect(await createRain(desk, { id, plan: { budget: '10.00', packets: 5 }, opensAt: now - 1_000, closesAt: now + 600_000, ...more })).toMatchObject({ ok: true });
}

async function open(id: string, more: Partial<CreateRequest> = {}): Promise<void> {
  await plan(id, more);
  expect(await loadRain(desk, id)).toMatchObject({ ok: true });
}

async function grabAs(id: string, shards: number, ...users: string[]): Promise<string[]> {
  const codes: string[] = [];
  for (const user of users) codes.push((await engine.grab(id, shardOf(user, shards), [user]))[0]!.code);
  return codes;
}

const users = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `user-${from + i}`);
const report = async (id: string) => (await auditRain(desk, id))!.report;
const why = (done: ToppedUp) => (done.ok ? undefined : done.refusals);
const read = async (id: string) => (await readRain(desk.redis, id, (await findRain(desk.redis, id))!))!;

async function creditAll(id: string, shards = 1): Promise<void> {
  for (let shard = 0; shard < shards; shard++) await desk.ledger.credit(await claimLog(desk, id, shard));
}

describe('a top-up', () => {
  test.each([1, 3])('[R8] of a rain that has run dry is won behind all that was there, settled and verified, over %i shard(s)', async (shards) => {
    const id = `dry-${shards}`;
    await open(id, { shards });
    const crowd = users(0, 40);
    await grabAs(id, shards, ...crowd);
    expect(await read(id)).toMatchObject({ left: 0, claims: 5 });
    expect(await report(id)).toMatchObject({ pending: '10.00', unclaimed: '0.00', adds_up: true });

    const done = await topUpRain(desk, id, { id: `more-${id}`, ...MORE });
    expect(done).toMatchObject({ ok: true, rainId: id, id: `more-${id}`, packets: 7, budget: '7.00', total: { packets: 12, budget: '17.00' }, loaded: true });
    expect(await report(id)).toMatchObject({ budget: '17.00', packets: 12, pending: '10.00', unclaimed: '7.00', adds_up: true });
    const { commitment } = done as { commitment: string };
    expect(await read(id)).toMatchObject({ packets: 12, loaded: 12, left: 7, portions: [{ commitment, packets: 7 }] });
    expect(await showRain(desk, id)).toMatchObject({ budget: '17.00', packets: 12, loaded: 12, portions: [{ portion: 1, id: `more-${id}`, budget: '7.00', packets: 7, commitment }] });

    await grabAs(id, shards, ...crowd);
    const won = (await Promise.all(Array.from({ length: shards }, (_, shard) => claimLog(desk, id, shard)))).flat();
    const amounts = allocationOf((await desk.ledger.rain(id))!);
    // [R2] each packet once, with the amount that its portion promised.
    expect(new Set(won.map(({ redPacketId }) => redPacketId)).size).toBe(won.length);
    expect(new Set(won.map(({ userId }) => userId)).size).toBe(won.length);
    for (const { redPacketId, amount } of won) expect(amount).toBe(formatMoney(amounts[Number(redPacketId.slice(id.length + 1))]!));
    expect(won).toHaveLength(12);

    await closeRain(desk, id);
    await creditAll(id, shards);
    expect(await settleRain(desk, id, (await findRain(desk.redis, id))!)).toEqual({ outcome: 'settled' });
    expect(await report(id)).toMatchObject({ credited: '17.00', recycled: '0.00', winners: 12, adds_up: true });
    expect(await desk.ledger.sumOfBalances()).toBe(0n);
    const rain = (await desk.ledger.rain(id))!;
    expect(await verifyRain(desk, id, [{ rainId: id, redPacketId: won.at(-1)!.redPacketId, amount: won.at(-1)!.amount }])).toMatchObject({
      ok: true, fair: true, problems: [], packets: 12, checked: { claims: 12, credits: 12, receipts: 1 },
      portions: [{ commitment, packets: 7, seed: rain.portions[0]!.seed }],
    });
    expect((await read(id)).portions).toEqual([{ commitment, packets: 7, seed: rain.portions[0]!.seed, plan: { budget: '7.00', packets: 7 } }]);

    // When Redis has forgotten it, the book alone still adds up.
    for (let shard = 0; shard < shards; shard++) await desk.redis.del(...Object.values(shardKeys(id, shard)));
    expect(await report(id)).toMatchObject({ credited: '17.00', adds_up: true });
  });

  test('leaves in their order the packets that were there', async () => {
    await open('order');
    const before = await desk.redis.lrange(shardKeys('order', 0).packets, 0, -1);
    await topUpRain(desk, 'order', MORE);
    expect((await desk.redis.lrange(shardKeys('order', 0).packets, 0, -1)).slice(-5)).toEqual(before);
  });

  test('[R5] asked for again with its word adds nothing, and answers the same; without a word it adds again', async () => {
    await open('again');
    const first = await topUpRain(desk, 'again', { id: 'word', ...MORE });
    expect(await topUpRain(desk, 'again', { id: 'word', ...MORE })).toEqual(first);
    expect(await report('again')).toMatchObject({ budget: '17.00', packets: 12, adds_up: true });
    await topUpRain(desk, 'again', MORE);
    await topUpRain(desk, 'again', MORE);
    expect(await report('again')).toMatchObject({ budget: '31.00', packets: 26, adds_up: true });
    expect((await desk.ledger.actions('again')).map(({ verb }) => verb)).toEqual(['create', 'load', 'top-up', 'top-up', 'top-up']);
    expect((await desk.ledger.book('again'))!.fundedCents).toBe(3_100n);
  });

  test('[R12] whose word means another one is refused, and what differs is named', async () => {
    await open('one');
    await open('two');
    await topUpRain(desk, 'one', { id: 'mine', ...MORE });
    expect(why(await topUpRain(desk, 'one', { id: 'mine', budget: '8.00', packets: 7 }))).toEqual([{ field: 'id', reason: 'a top-up mine exists already, with another budget, plan' }]);
    expect(why(await topUpRain(desk, 'two', { id: 'mine', ...MORE }))).toEqual([{ field: 'id', reason: 'a top-up mine exists already, with another rain' }]);
    expect(await report('two')).toMatchObject({ budget: '10.00', adds_up: true });
  });

  test('[R12] that cannot be carried out is refused field by field, and changes nothing', async () => {
    await open('wrong');
    expect(why(await topUpRain(desk, 'wrong', { id: '', budget: '0.05', packets: 7 }))!.map(({ field }) => field)).toEqual(['id', 'packets']);
    expect(why(await topUpRain(desk, 'nowhere', MORE))).toEqual([{ field: 'rain', reason: 'there is no rain nowhere' }]);
    expect(await desk.ledger.rain('wrong')).toMatchObject({ budgetCents: 1_000n, packets: 5, portions: [] });
  });

  test('that is only asked about changes nothing and says what it would come to', async () => {
    await open('dry-run');
    expect(await topUpRain(desk, 'dry-run', { id: 'maybe', ...MORE, dryRun: true })).toEqual({
      ok: true, rainId: 'dry-run', id: 'maybe', packets: 7, budget: '7.00', total: { packets: 12, budget: '17.00' }, loaded: false,
    });
    expect(await desk.ledger.rain('dry-run')).toMatchObject({ budgetCents: 1_000n, packets: 5, portions: [] });
  });

  test('[R7] of a paused rain leaves it paused', async () => {
    await open('paused');
    await pauseRain(desk, 'paused');
    expect(await topUpRain(desk, 'paused', MORE)).toMatchObject({ ok: true, loaded: true });
    expect(await read('paused')).toMatchObject({ state: 'paused', loaded: 12 });
    expect(await grabAs('paused', 1, 'anna')).toEqual(['-4']);
  });

  test.each([1, 3])('of a draft waits for the load, which finds it, over %i shard(s)', async (shards) => {
    const id = `draft-${shards}`;
    await plan(id, { shards });
    expect(await topUpRain(desk, id, MORE)).toMatchObject({ ok: true, loaded: false });
    expect(await report(id)).toMatchObject({ budget: '17.00', unclaimed: '17.00', adds_up: true });
    expect(await loadRain(desk, id)).toEqual({ ok: true, packets: 12 });
    expect(await read(id)).toMatchObject({ state: 'loaded', packets: 12, loaded: 12, left: 12 });
    expect(await loadRain(desk, id)).toEqual({ ok: true, packets: 12 });
    expect(await report(id)).toMatchObject({ unclaimed: '17.00', adds_up: true });
  });

  test('of a draft that is being loaded this moment is loaded as well, whoever is faster', async () => {
    for (let i = 0; i < 10; i++) {
      const id = `meanwhile-${i}`;
      await plan(id, { plan: { budget: '5000.00', packets: 5_000 }, shards: 2 });
      await Promise.all([loadRain(desk, id), topUpRain(desk, id, MORE)]);
      expect(await read(id)).toMatchObject({ packets: 5_007, loaded: 5_007, left: 5_007 });
    }
  });

  test('does not stand in the way of creating the same rain again, nor of writing it down again', async () => {
    const now = await redisNow(desk.redis);
    const request = { id: 'twice', plan: { budget: '10.00', packets: 5 }, opensAt: now + 60_000, closesAt: now + 600_000 };
    const created = await createRain(desk, request);
    await loadRain(desk, 'twice');
    await topUpRain(desk, 'twice', MORE);
    expect(await createRain(desk, request)).toEqual(created);
    // Redis has forgotten it before it opened.
    await desk.redis.flushall();
    expect(await loadRain(desk, 'twice')).toEqual({ ok: true, packets: 12 });
    expect(await read('twice')).toMatchObject({ loaded: 12, left: 12, portions: [{ packets: 7 }] });
  });

  test('twenty at once are all added, each once, in one order', async () => {
    await open('crowd', { shards: 2 });
    const done = await Promise.all(Array.from({ length: 20 }, (_, i) => topUpRain(desk, 'crowd', { id: `crowd-${i % 10}`, ...MORE })));
    expect(done.every(({ ok }) => ok)).toBe(true);
    const rain = (await desk.ledger.rain('crowd'))!;
    expect(rain.portions.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await read('crowd')).toMatchObject({ loaded: 75, left: 75, portions: rain.portions.map(({ commitment, packets }) => ({ commitment, packets })) });
    expect(await report('crowd')).toMatchObject({ budget: '80.00', packets: 75, adds_up: true });
  });

  test('[R10] the thirty-third is refused', async () => {
    await open('many');
    for (let i = 0; i < 32; i++) expect(await topUpRain(desk, 'many', { budget: '0.01', packets: 1 })).toMatchObject({ ok: true });
    expect(why(await topUpRain(desk, 'many', { budget: '0.01', packets: 1 }))![0]!.reason).toContain('a rain takes 32 top-ups');
    expect(why(await topUpRain(desk, 'many', { budget: '0.01', packets: 1, dryRun: true }))![0]!.reason).toContain('a rain takes 32 top-ups');
    expect(await report('many')).toMatchObject({ budget: '10.32', packets: 37, adds_up: true });
  });

  test('whose seed is no longer the one that was promised is not loaded', async () => {
    await plan('exchanged');
    await topUpRain(desk, 'exchanged', MORE);
    await tamper(desk.databaseUrl, 'ALTER TABLE "Portion" DISABLE TRIGGER USER', `UPDATE "Portion" SET seed = '${'cd'.repeat(32)}' WHERE "rainId" = 'exchanged'`);
    expect(await loadRain(desk, 'exchanged')).toMatchObject({ ok: false, refusals: [{ reason: expect.stringContaining('committed') as string }] });
    expect(await desk.redis.llen(shardKeys('exchanged', 0).packets)).toBe(0);
  });
});

describe('a top-up and the end of the rain', () => {
  test('comes too late for one that is over, closed or settled, and nothing is added', async () => {
    const now = await redisNow(desk.redis);
    await open('due', { opensAt: now - 2_000, closesAt: now + 700 });
    await open('ended');
    await closeRain(desk, 'ended');
    expect(why(await topUpRain(desk, 'ended', MORE))).toEqual([{ field: 'rain', reason: 'the rain ended is over' }]);
    await settleRain(desk, 'ended', (await findRain(desk.redis, 'ended'))!);
    expect(why(await topUpRain(desk, 'ended', MORE))).toEqual([{ field: 'rain', reason: 'the rain ended is settled' }]);
    while (await redisNow(desk.redis) < now + 700) await redisNow(desk.redis);
    expect(why(await topUpRain(desk, 'due', MORE))).toEqual([{ field: 'rain', reason: 'the rain due is over' }]);
    for (const id of ['due', 'ended']) expect(await report(id)).toMatchObject({ budget: '10.00', adds_up: true });
  });

  test('[R8] booked, and shut out by the close before its packets were in Redis, goes back with the rest', async () => {
    await open('shut');
    await grabAs('shut', 1, 'anna');
    await desk.ledger.addPortion({ id: 'late', rainId: 'shut', budgetCents: 700n, packets: 7, split: { ...MORE }, seed: 'ab'.repeat(32) }, 'test');
    await closeRain(desk, 'shut');
    const told = why(await topUpRain(desk, 'shut', { id: 'late', ...MORE }))!;
    expect(told[0]!.reason).toMatch(/^the rain shut is over; the 7\.00 of this top-up stand in the book of shut, and what nobody has won of them goes back/);
    expect(await report('shut')).toMatchObject({ budget: '17.00', packets: 12, adds_up: true });
    expect(await read('shut')).toMatchObject({ packets: 5, loaded: 5 });
    await creditAll('shut');
    expect(await settleRain(desk, 'shut', (await findRain(desk.redis, 'shut'))!)).toEqual({ outcome: 'settled' });
    const { credited, recycled, adds_up } = await report('shut');
    expect([adds_up, Number(credited) + Number(recycled)]).toEqual([true, 17]);
    expect(await verifyRain(desk, 'shut', [])).toMatchObject({ fair: true, packets: 12 });
  });

  test('[R8] that comes between any two steps of the settlement is in the money that goes back, or was never added', async () => {
    const seen = { added: 0, sealed: 0 };
    for (let at = 1; ; at++) {
      const id = `between-${at}`;
      await open(id);
      await closeRain(desk, id);
      const settling = overtakenDesk(desk, at, async () => {
        // It had looked whether the rain goes on before the close.
        const { outcome } = await desk.ledger.addPortion({ id, rainId: id, budgetCents: 700n, packets: 7, split: { ...MORE }, seed: 'ab'.repeat(32) }, 'test');
        expect(['added', 'sealed']).toContain(outcome);
        seen[outcome as keyof typeof seen]++;
      });
      expect(await settleRain(settling, id, (await findRain(desk.redis, id))!)).toEqual({ outcome: 'settled' });
      const budget = (await desk.ledger.rain(id))!.portions.length > 0 ? '17.00' : '10.00';
      expect(await report(id)).toMatchObject({ budget, recycled: budget, unclaimed: '0.00', adds_up: true });
      expect((await desk.ledger.book(id))!.fundedCents).toBe(budget === '17.00' ? 1_700n : 1_000n);
      expect(await verifyRain(desk, id, [])).toMatchObject({ fair: true });
      if (settling.calls() < at) break;
    }
    expect(seen.added).toBeGreaterThan(0);
    expect(seen.sealed).toBeGreaterThan(0);
    expect(await desk.ledger.sumOfBalances()).toBe(0n);
  });

  test('[R8] whose rain is closed and settled between any two of its steps adds nothing that is not given back', async () => {
    const seen = { added: 0, refused: 0 };
    for (let at = 1; ; at++) {
      const id = `overtaken-${at}`;
      await open(id);
      const live = (await findRain(desk.redis, id))!;
      const adding = overtakenDesk(desk, at, async () => {
        await closeRain(desk, id);
        expect(await settleRain(desk, id, live)).toEqual({ outcome: 'settled' });
      });
      const done = await topUpRain(adding, id, { id, ...MORE });
      if (adding.calls() < at) break;
      const added = (await desk.ledger.rain(id))!.portions.length > 0;
      seen[added ? 'added' : 'refused']++;
      if (!added) expect(done.ok).toBe(false);
      const budget = added ? '17.00' : '10.00';
      expect(await report(id)).toMatchObject({ budget, recycled: budget, unclaimed: '0.00', adds_up: true });
      // Asked again it says what has become of it, and moves nothing.
      expect(await topUpRain(desk, id, { id, ...MORE })).toMatchObject({ ok: false });
      expect(await report(id)).toMatchObject({ budget, recycled: budget, adds_up: true });
    }
    expect(Object.values(seen).every((count) => count > 0)).toBe(true);
    expect(await desk.ledger.sumOfBalances()).toBe(0n);
  });

  test('[R8] the audit adds up between any two of its steps while packets are pushed and won', async () => {
    await open('looked-at', { plan: { budget: '12000.00', packets: 12_000 } });
    const told: string[] = [];
    for (let at = 1, user = 0; ; at++) {
      const looking = overtakenDesk(desk, at, async () => {
        await engine.grab('looked-at', 0, users(user, user += 100));
        if (at % 2 === 0 && at <= 12) expect(await topUpRain(desk, 'looked-at', { budget: '2000.00', packets: 2_000 })).toMatchObject({ ok: true });
        await engine.grab('looked-at', 0, users(user, user += 100));
      });
      const { problems, report: { adds_up } } = (await auditRain(looking, 'looked-at'))!;
      told.push(...problems);
      expect(adds_up).toBe(true);
      if (looking.calls() < at) break;
    }
    expect(told).toEqual([]);
    expect((await desk.ledger.rain('looked-at'))!.portions).toHaveLength(6);
  });
});
