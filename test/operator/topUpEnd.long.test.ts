import { describe, expect, test } from 'vitest';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { verifyRain } from '../../src/operator/verify.ts';
import { overtakenContext } from './cut.ts';
import { MORE, openTopUpStage, usersFrom, why } from './topUpStage.ts';

const { context, engine, open, grabAs, report, read, creditAll } = await openTopUpStage();

const LANES = 4;

/**
 * Interrupts at the first step, then at the second, and so on, until there is no such step. Each run has its own rain;
 * some run side by side.
 */
async function atEachStep(meet: (at: number) => Promise<boolean>): Promise<void> {
  let [next, over] = [1, false];
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      while (!over) if (!(await meet(next++))) over = true;
    }),
  );
}

describe('a top-up and the end of the rain', () => {
  test('comes too late for one that is over, closed or settled, and nothing is added', async () => {
    const now = await redisNow(context.redis);
    await open('due', { opensAt: now - 2_000, closesAt: now + 700 });
    await open('ended');
    await closeRain(context, 'ended');
    expect(why(await topUpRain(context, 'ended', MORE))).toEqual([{ field: 'rain', reason: 'the rain ended is over' }]);
    await settleRain(context, 'ended', (await findRain(context.redis, 'ended'))!);
    expect(why(await topUpRain(context, 'ended', MORE))).toEqual([
      { field: 'rain', reason: 'the rain ended is settled' },
    ]);
    while ((await redisNow(context.redis)) < now + 700) await redisNow(context.redis);
    expect(why(await topUpRain(context, 'due', MORE))).toEqual([{ field: 'rain', reason: 'the rain due is over' }]);
    for (const id of ['due', 'ended']) expect(await report(id)).toMatchObject({ budget: '10.00', balanced: true });
  });

  test('[R8] booked, but closed before its packets were in Redis, goes back with the rest', async () => {
    await open('shut');
    await grabAs('shut', 1, 'anna');
    await context.ledger.addTopUp(
      { id: 'late', rainId: 'shut', budgetCents: 700n, packets: 7, split: { ...MORE }, seed: 'ab'.repeat(32) },
      'test',
    );
    await closeRain(context, 'shut');
    const told = why(await topUpRain(context, 'shut', { id: 'late', ...MORE }))!;
    expect(told[0]!.reason).toMatch(
      /^the rain shut is over; the 7\.00 of this top-up are in the ledger of shut, and the unclaimed part goes back/,
    );
    expect(await report('shut')).toMatchObject({ budget: '17.00', packets: 12, balanced: true });
    expect(await read('shut')).toMatchObject({ packets: 5, loaded: 5 });
    await creditAll('shut');
    expect(await settleRain(context, 'shut', (await findRain(context.redis, 'shut'))!)).toEqual({ outcome: 'settled' });
    const { credited, recycled, balanced } = await report('shut');
    expect([balanced, Number(credited) + Number(recycled)]).toEqual([true, 17]);
    expect(await verifyRain(context, 'shut', [])).toMatchObject({ fair: true, packets: 12 });
  });

  test('[R8] between any two steps of the settlement either goes back with the rest or is not added', async () => {
    const seen = { added: 0, sealed: 0 };
    await atEachStep(async (at) => {
      const id = `between-${at}`;
      await open(id);
      await closeRain(context, id);
      const settling = overtakenContext(context, at, async () => {
        // It had looked whether the rain goes on before the close.
        const { outcome } = await context.ledger.addTopUp(
          { id, rainId: id, budgetCents: 700n, packets: 7, split: { ...MORE }, seed: 'ab'.repeat(32) },
          'test',
        );
        expect(['added', 'sealed']).toContain(outcome);
        seen[outcome as keyof typeof seen]++;
      });
      expect(await settleRain(settling, id, (await findRain(context.redis, id))!)).toEqual({ outcome: 'settled' });
      const budget = (await context.ledger.rain(id))!.topUps.length > 0 ? '17.00' : '10.00';
      expect(await report(id)).toMatchObject({ budget, recycled: budget, unclaimed: '0.00', balanced: true });
      expect((await context.ledger.book(id))!.fundedCents).toBe(budget === '17.00' ? 1_700n : 1_000n);
      expect(await verifyRain(context, id, [])).toMatchObject({ fair: true });
      return settling.calls() >= at;
    });
    expect(seen.added).toBeGreaterThan(0);
    expect(seen.sealed).toBeGreaterThan(0);
    expect(await context.ledger.sumOfBalances()).toBe(0n);
  });

  test('[R8] whose rain is closed and settled between any two of its steps adds no money that does not go back', async () => {
    const seen = { added: 0, refused: 0 };
    await atEachStep(async (at) => {
      const id = `overtaken-${at}`;
      await open(id);
      const live = (await findRain(context.redis, id))!;
      const adding = overtakenContext(context, at, async () => {
        await closeRain(context, id);
        expect(await settleRain(context, id, live)).toEqual({ outcome: 'settled' });
      });
      const done = await topUpRain(adding, id, { id, ...MORE });
      if (adding.calls() < at) return false;
      const added = (await context.ledger.rain(id))!.topUps.length > 0;
      seen[added ? 'added' : 'refused']++;
      if (!added) expect(done.ok).toBe(false);
      const budget = added ? '17.00' : '10.00';
      expect(await report(id)).toMatchObject({ budget, recycled: budget, unclaimed: '0.00', balanced: true });
      // Asked again it says what has become of it, and moves nothing.
      expect(await topUpRain(context, id, { id, ...MORE })).toMatchObject({ ok: false });
      expect(await report(id)).toMatchObject({ budget, recycled: budget, balanced: true });
      return true;
    });
    expect(Object.values(seen).every((count) => count > 0)).toBe(true);
    expect(await context.ledger.sumOfBalances()).toBe(0n);
  });

  test('[R8] the audit is balanced between any two of its steps while packets are pushed and won', async () => {
    await open('looked-at', { plan: { budget: '12000.00', packets: 12_000 } });
    const told: string[] = [];
    for (let at = 1, user = 0; ; at++) {
      const looking = overtakenContext(context, at, async () => {
        await engine.grab('looked-at', 0, usersFrom(user, (user += 100)));
        if (at % 2 === 0 && at <= 12)
          expect(await topUpRain(context, 'looked-at', { budget: '2000.00', packets: 2_000 })).toMatchObject({
            ok: true,
          });
        await engine.grab('looked-at', 0, usersFrom(user, (user += 100)));
      });
      const {
        problems,
        report: { balanced },
      } = (await auditRain(looking, 'looked-at'))!;
      told.push(...problems);
      expect(balanced).toBe(true);
      if (looking.calls() < at) break;
    }
    expect(told).toEqual([]);
    expect((await context.ledger.rain('looked-at'))!.topUps).toHaveLength(6);
  });
});
