import { describe, expect, test } from 'vitest';
import { findRain, redisNow } from '../../src/grab/reading.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/steer.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { verifyRain } from '../../src/operator/verify.ts';
import { overtakenDesk } from './cut.ts';
import { MORE, openTopUpStage, usersFrom, why } from './topUpStage.ts';

const { desk, engine, open, grabAs, report, read, creditAll } = await openTopUpStage();

const LANES = 4;

/** With each step once, the first, the second and so on, until it says that there was no such step; each in a rain of its own, some side by side. */
async function atEachStep(meet: (at: number) => Promise<boolean>): Promise<void> {
  let [next, over] = [1, false];
  await Promise.all(Array.from({ length: LANES }, async () => { while (!over) if (!await meet(next++)) over = true; }));
}

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
    await atEachStep(async (at) => {
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
      return settling.calls() >= at;
    });
    expect(seen.added).toBeGreaterThan(0);
    expect(seen.sealed).toBeGreaterThan(0);
    expect(await desk.ledger.sumOfBalances()).toBe(0n);
  });

  test('[R8] whose rain is closed and settled between any two of its steps adds nothing that is not given back', async () => {
    const seen = { added: 0, refused: 0 };
    await atEachStep(async (at) => {
      const id = `overtaken-${at}`;
      await open(id);
      const live = (await findRain(desk.redis, id))!;
      const adding = overtakenDesk(desk, at, async () => {
        await closeRain(desk, id);
        expect(await settleRain(desk, id, live)).toEqual({ outcome: 'settled' });
      });
      const done = await topUpRain(adding, id, { id, ...MORE });
      if (adding.calls() < at) return false;
      const added = (await desk.ledger.rain(id))!.portions.length > 0;
      seen[added ? 'added' : 'refused']++;
      if (!added) expect(done.ok).toBe(false);
      const budget = added ? '17.00' : '10.00';
      expect(await report(id)).toMatchObject({ budget, recycled: budget, unclaimed: '0.00', adds_up: true });
      // Asked again it says what has become of it, and moves nothing.
      expect(await topUpRain(desk, id, { id, ...MORE })).toMatchObject({ ok: false });
      expect(await report(id)).toMatchObject({ budget, recycled: budget, adds_up: true });
      return true;
    });
    expect(Object.values(seen).every((count) => count > 0)).toBe(true);
    expect(await desk.ledger.sumOfBalances()).toBe(0n);
  });

  test('[R8] the audit adds up between any two of its steps while packets are pushed and won', async () => {
    await open('looked-at', { plan: { budget: '12000.00', packets: 12_000 } });
    const told: string[] = [];
    for (let at = 1, user = 0; ; at++) {
      const looking = overtakenDesk(desk, at, async () => {
        await engine.grab('looked-at', 0, usersFrom(user, user += 100));
        if (at % 2 === 0 && at <= 12) expect(await topUpRain(desk, 'looked-at', { budget: '2000.00', packets: 2_000 })).toMatchObject({ ok: true });
        await engine.grab('looked-at', 0, usersFrom(user, user += 100));
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
