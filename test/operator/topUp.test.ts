import { describe, expect, test } from 'vitest';
import { shardKeys } from '../../src/store/keys.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { showRain } from '../../src/operator/list.ts';
import { allocationOf } from '../../src/ledger/allocation.ts';
import { loadRain } from '../../src/operator/load.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain, pauseRain } from '../../src/operator/transitions.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { verifyRain } from '../../src/operator/verify.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { claimLog } from '../support/operatorContext.ts';
import { tamper } from '../support/servers/plain-sql.ts';
import { MORE, openTopUpStage, usersFrom, why } from './topUpStage.ts';

const { context, plan, open, grabAs, report, read, creditAll } = await openTopUpStage();

describe('a top-up', () => {
  test.each([1, 3])(
    '[R8] of an empty rain is won after all earlier packets, settled and verified, over %i shard(s)',
    async (shards) => {
      const id = `dry-${shards}`;
      await open(id, { shards });
      const crowd = usersFrom(0, 40);
      await grabAs(id, shards, ...crowd);
      expect(await read(id)).toMatchObject({ left: 0, claims: 5 });
      expect(await report(id)).toMatchObject({ pending: '10.00', unclaimed: '0.00', balanced: true });

      const done = await topUpRain(context, id, { id: `more-${id}`, ...MORE });
      expect(done).toMatchObject({
        ok: true,
        rainId: id,
        id: `more-${id}`,
        packets: 7,
        budget: '7.00',
        total: { packets: 12, budget: '17.00' },
        loaded: true,
      });
      expect(await report(id)).toMatchObject({
        budget: '17.00',
        packets: 12,
        pending: '10.00',
        unclaimed: '7.00',
        balanced: true,
      });
      const { commitment } = done as { commitment: string };
      expect(await read(id)).toMatchObject({ packets: 12, loaded: 12, left: 7, topUps: [{ commitment, packets: 7 }] });
      expect(await showRain(context, id)).toMatchObject({
        budget: '17.00',
        packets: 12,
        loaded: 12,
        topUps: [{ topUp: 1, id: `more-${id}`, budget: '7.00', packets: 7, commitment }],
      });

      await grabAs(id, shards, ...crowd);
      const won = (
        await Promise.all(Array.from({ length: shards }, (_, shard) => claimLog(context, id, shard)))
      ).flat();
      const amounts = allocationOf((await context.ledger.rain(id))!);
      // [R2] each packet once, with the amount that its top-up promised.
      expect(new Set(won.map(({ redPacketId }) => redPacketId)).size).toBe(won.length);
      expect(new Set(won.map(({ userId }) => userId)).size).toBe(won.length);
      for (const { redPacketId, amount } of won)
        expect(amount).toBe(formatMoney(amounts[Number(redPacketId.slice(id.length + 1))]!));
      expect(won).toHaveLength(12);

      await closeRain(context, id);
      await creditAll(id, shards);
      expect(await settleRain(context, id, (await findRain(context.redis, id))!)).toEqual({ outcome: 'settled' });
      expect(await report(id)).toMatchObject({ credited: '17.00', recycled: '0.00', winners: 12, balanced: true });
      expect(await context.ledger.sumOfBalances()).toBe(0n);
      const rain = (await context.ledger.rain(id))!;
      expect(
        await verifyRain(context, id, [
          { rainId: id, redPacketId: won.at(-1)!.redPacketId, amount: won.at(-1)!.amount },
        ]),
      ).toMatchObject({
        ok: true,
        fair: true,
        problems: [],
        packets: 12,
        checked: { claims: 12, credits: 12, receipts: 1 },
        topUps: [{ commitment, packets: 7, seed: rain.topUps[0]!.seed }],
      });
      expect((await read(id)).topUps).toEqual([
        { commitment, packets: 7, seed: rain.topUps[0]!.seed, plan: { budget: '7.00', packets: 7 } },
      ]);

      // After the keys in Redis expire, the ledger alone is balanced.
      for (let shard = 0; shard < shards; shard++) await context.redis.del(...Object.values(shardKeys(id, shard)));
      expect(await report(id)).toMatchObject({ credited: '17.00', balanced: true });
    },
  );

  test('keeps the order of the earlier packets', async () => {
    await open('order');
    const before = await context.redis.lrange(shardKeys('order', 0).packets, 0, -1);
    await topUpRain(context, 'order', MORE);
    expect((await context.redis.lrange(shardKeys('order', 0).packets, 0, -1)).slice(-5)).toEqual(before);
  });

  test('[R5] repeated with its id adds nothing and gives the same answer; without an id it adds again', async () => {
    await open('again');
    const first = await topUpRain(context, 'again', { id: 'word', ...MORE });
    expect(await topUpRain(context, 'again', { id: 'word', ...MORE })).toEqual(first);
    expect(await report('again')).toMatchObject({ budget: '17.00', packets: 12, balanced: true });
    await topUpRain(context, 'again', MORE);
    await topUpRain(context, 'again', MORE);
    expect(await report('again')).toMatchObject({ budget: '31.00', packets: 26, balanced: true });
    expect((await context.ledger.actions('again')).map(({ verb }) => verb)).toEqual([
      'create',
      'load',
      'top-up',
      'top-up',
      'top-up',
    ]);
    expect((await context.ledger.book('again'))!.fundedCents).toBe(3_100n);
  });

  test('[R12] whose id belongs to another one is refused, and the differences are named', async () => {
    await open('one');
    await open('two');
    await topUpRain(context, 'one', { id: 'mine', ...MORE });
    expect(why(await topUpRain(context, 'one', { id: 'mine', budget: '8.00', packets: 7 }))).toEqual([
      { field: 'id', reason: 'a top-up mine exists already, with another budget, plan' },
    ]);
    expect(why(await topUpRain(context, 'two', { id: 'mine', ...MORE }))).toEqual([
      { field: 'id', reason: 'a top-up mine exists already, with another rain' },
    ]);
    expect(await report('two')).toMatchObject({ budget: '10.00', balanced: true });
  });

  test('[R12] that is not feasible is refused field by field, and changes nothing', async () => {
    await open('wrong');
    expect(
      why(await topUpRain(context, 'wrong', { id: '', budget: '0.05', packets: 7 }))!.map(({ field }) => field),
    ).toEqual(['id', 'packets']);
    expect(why(await topUpRain(context, 'nowhere', MORE))).toEqual([
      { field: 'rain', reason: 'there is no rain nowhere' },
    ]);
    expect(await context.ledger.rain('wrong')).toMatchObject({ budgetCents: 1_000n, packets: 5, topUps: [] });
  });

  test('as a dry run changes nothing and reports the result', async () => {
    await open('dry-run');
    expect(await topUpRain(context, 'dry-run', { id: 'maybe', ...MORE, dryRun: true })).toEqual({
      ok: true,
      rainId: 'dry-run',
      id: 'maybe',
      packets: 7,
      budget: '7.00',
      total: { packets: 12, budget: '17.00' },
      loaded: false,
    });
    expect(await context.ledger.rain('dry-run')).toMatchObject({ budgetCents: 1_000n, packets: 5, topUps: [] });
  });

  test('[R7] of a paused rain leaves it paused', async () => {
    await open('paused');
    await pauseRain(context, 'paused');
    expect(await topUpRain(context, 'paused', MORE)).toMatchObject({ ok: true, loaded: true });
    expect(await read('paused')).toMatchObject({ state: 'paused', loaded: 12 });
    expect(await grabAs('paused', 1, 'anna')).toEqual(['-4']);
  });

  test.each([1, 3])('of a draft waits for the load, which finds it, over %i shard(s)', async (shards) => {
    const id = `draft-${shards}`;
    await plan(id, { shards });
    expect(await topUpRain(context, id, MORE)).toMatchObject({ ok: true, loaded: false });
    expect(await report(id)).toMatchObject({ budget: '17.00', unclaimed: '17.00', balanced: true });
    expect(await loadRain(context, id)).toEqual({ ok: true, packets: 12 });
    expect(await read(id)).toMatchObject({ state: 'loaded', packets: 12, loaded: 12, left: 12 });
    expect(await loadRain(context, id)).toEqual({ ok: true, packets: 12 });
    expect(await report(id)).toMatchObject({ unclaimed: '17.00', balanced: true });
  });

  test('of a draft that is being loaded is loaded too, whichever is faster', async () => {
    for (let i = 0; i < 10; i++) {
      const id = `meanwhile-${i}`;
      await plan(id, { plan: { budget: '5000.00', packets: 5_000 }, shards: 2 });
      await Promise.all([loadRain(context, id), topUpRain(context, id, MORE)]);
      expect(await read(id)).toMatchObject({ packets: 5_007, loaded: 5_007, left: 5_007 });
    }
  });

  test('prevents neither creating the same rain again nor writing it to Redis again', async () => {
    const now = await redisNow(context.redis);
    const request = {
      id: 'twice',
      plan: { budget: '10.00', packets: 5 },
      opensAt: now + 60_000,
      closesAt: now + 600_000,
    };
    const created = await createRain(context, request);
    await loadRain(context, 'twice');
    await topUpRain(context, 'twice', MORE);
    expect(await createRain(context, request)).toEqual(created);
    // Redis has forgotten it before it opened.
    await context.redis.flushall();
    expect(await loadRain(context, 'twice')).toEqual({ ok: true, packets: 12 });
    expect(await read('twice')).toMatchObject({ loaded: 12, left: 12, topUps: [{ packets: 7 }] });
  });

  test('twenty at once are all added, each once, in one order', async () => {
    await open('crowd', { shards: 2 });
    const done = await Promise.all(
      Array.from({ length: 20 }, (_, i) => topUpRain(context, 'crowd', { id: `crowd-${i % 10}`, ...MORE })),
    );
    expect(done.filter(({ ok }) => !ok)).toEqual([]);
    const rain = (await context.ledger.rain('crowd'))!;
    expect(rain.topUps.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await read('crowd')).toMatchObject({
      loaded: 75,
      left: 75,
      topUps: rain.topUps.map(({ commitment, packets }) => ({ commitment, packets })),
    });
    expect(await report('crowd')).toMatchObject({ budget: '80.00', packets: 75, balanced: true });
  });

  test('[R10] the thirty-third is refused', async () => {
    await open('many');
    for (let i = 0; i < 32; i++)
      expect(await topUpRain(context, 'many', { budget: '0.01', packets: 1 })).toMatchObject({ ok: true });
    expect(why(await topUpRain(context, 'many', { budget: '0.01', packets: 1 }))![0]!.reason).toContain(
      'a rain has at most 32 top-ups',
    );
    expect(why(await topUpRain(context, 'many', { budget: '0.01', packets: 1, dryRun: true }))![0]!.reason).toContain(
      'a rain has at most 32 top-ups',
    );
    expect(await report('many')).toMatchObject({ budget: '10.32', packets: 37, balanced: true });
  });

  test('whose seed no longer matches its commitment is not loaded', async () => {
    await plan('exchanged');
    await topUpRain(context, 'exchanged', MORE);
    await tamper(
      context.databaseUrl,
      'ALTER TABLE "Portion" DISABLE TRIGGER USER',
      `UPDATE "Portion" SET seed = '${'cd'.repeat(32)}' WHERE "rainId" = 'exchanged'`,
    );
    expect(await loadRain(context, 'exchanged')).toMatchObject({
      ok: false,
      refusals: [{ reason: expect.stringContaining('commitment') as string }],
    });
    expect(await context.redis.llen(shardKeys('exchanged', 0).packets)).toBe(0);
  });
});
