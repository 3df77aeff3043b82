import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { compareRain } from '../../src/operator/restore/compare.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { closeRain, resumeRain } from '../../src/operator/transitions.ts';
import { writeOffRain } from '../../src/operator/writeOff.ts';
import { hold } from '../../src/store/holds.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { lend, newMoveId, receive } from '../../src/store/moves.ts';
import { findRain, readRain, redisNow } from '../../src/store/rains.ts';
import { grabAs, packetsLeft, rewriteLedger } from '../maintenance/epochStage.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
afterAll(() => context.stop());
beforeEach(() => context.redis.flushall());

const MORE = { budget: '6.00', packets: 3, split: { method: 'even' } } as const;
const stored = async (id: string) => (await readRain(context.redis, id, (await findRain(context.redis, id))!))!;
const users = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `user-${from + i}`);

/** The database as it was before the only top-up of this rain. */
function forgetTopUp(id: string, packets: number, cents: number): Promise<void> {
  return rewriteLedger(
    context,
    `DELETE FROM "Portion" WHERE "rainId" = '${id}'`,
    `DELETE FROM "Allocation" WHERE "rainId" = '${id}' AND "ordinal" = 1`,
    `DELETE FROM "Transfer" WHERE "id" = 'fund:${id}/1' OR "id" LIKE 'fund:${id}/1/%'`,
    `DELETE FROM "OperatorAction" WHERE "rainId" = '${id}' AND "verb" = 'top-up'`,
    `UPDATE "Rain" SET "packets" = ${packets}, "budgetCents" = ${cents} WHERE "id" = '${id}'`,
  );
}

/**
 * Ten packets of 1.00 and a top-up of three with 2.00, of which one is won; then the ledger comes back from before the
 * top-up.
 */
async function shrunk(id: string, won = 11): Promise<void> {
  await context.wonRain(id, 0);
  expect(await topUpRain(context, id, { id: `${id}-more`, ...MORE })).toMatchObject({ ok: true });
  if (won > 0) await grabAs(context, id, users(0, won));
  await forgetTopUp(id, 10, 1_000);
  await hold(context.redis, id, 1, 'ledger_behind');
}

test('[R8] a top-up whose seed is lost is given up: its packets leave the list, its wins are listed, and the rest is settled', async () => {
  await shrunk('smaller');
  expect((await compareRain(context, 'smaller'))!.counts).toMatchObject({ top_up_not_in_book: 1 });
  const told = [{ redPacketId: 'smaller-10', userId: 'user-10', amount: '2.00', verdict: 'unpayable' }];
  expect(await writeOffRain(context, 'smaller', 'no later backup', { dryRun: true })).toMatchObject({
    ok: true,
    amount: '0.00',
    withdrawn: 2,
    told,
  });
  expect(await writeOffRain(context, 'smaller', 'no later backup')).toMatchObject({
    ok: true,
    amount: '0.00',
    withdrawn: 2,
    told,
  });
  expect(await packetsLeft(context, shardKeys('smaller', 0).packets)).toEqual([]);
  expect(await stored('smaller')).toMatchObject({ state: 'paused', packets: 10, loaded: 10 });
  expect((await stored('smaller')).held).toBeUndefined();
  await context.credit();
  expect((await compareRain(context, 'smaller'))!.counts).toEqual({ unpayable: 1 });

  await closeRain(context, 'smaller');
  expect(await settleRain(context, 'smaller', (await findRain(context.redis, 'smaller'))!)).toEqual({
    outcome: 'settled',
  });
  expect((await auditRain(context, 'smaller'))!).toMatchObject({
    report: { balanced: true, credited: '10.00', recycled: '0.00' },
    problems: [],
  });
  expect(await context.ledger.sumOfBalances()).toBe(0n);
});

test('nobody can win what was given up, and nothing is added: its packets would have the ids of those that were told', async () => {
  await shrunk('goes-on', 0);
  await grabAs(context, 'goes-on', users(0, 4));
  expect(await writeOffRain(context, 'goes-on', 'no later backup')).toMatchObject({ ok: true, withdrawn: 3, told: [] });
  expect(await resumeRain(context, 'goes-on')).toMatchObject({ ok: true });
  expect((await grabAs(context, 'goes-on', users(0, 12))).filter(({ code }) => code === '0')).toHaveLength(10);
  expect(await topUpRain(context, 'goes-on', { id: 'again', ...MORE })).toMatchObject({
    ok: false,
    refusals: [{ reason: expect.stringContaining('given up') as string }],
  });
  await context.credit();
  expect((await auditRain(context, 'goes-on'))!).toMatchObject({
    report: { balanced: true, credited: '10.00' },
    problems: [],
  });
});

test.each([false, true])(
  'in all shards, also when they have more packets than one call takes off; packets have moved: %s',
  async (haveMoved) => {
    const id = `wide-${haveMoved}`;
    const now = await redisNow(context.redis);
    await createRain(context, {
      id,
      shards: 3,
      plan: { budget: '3.00', packets: 3, split: { method: 'even' } },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
    });
    await loadRain(context, id);
    expect(
      await topUpRain(context, id, { id: `${id}-more`, budget: '7000.00', packets: 7_000, split: { method: 'even' } }),
    ).toMatchObject({ ok: true });
    if (haveMoved) {
      const [arrived, onItsWay] = [
        await lend(context.redis, id, newMoveId(0, 1), { wanted: 400, parts: 100 }),
        await lend(context.redis, id, newMoveId(2, 0), { wanted: 10, parts: 10_000 }),
      ];
      await receive(context.redis, id, arrived!);
      expect(onItsWay).toBeDefined();
    }
    await forgetTopUp(id, 3, 300);
    expect(await writeOffRain(context, id, 'no later backup')).toMatchObject({ ok: true, withdrawn: 7_000, told: [] });
    expect(await stored(id)).toMatchObject({ packets: 3, loaded: 3, left: 3 });
    expect((await auditRain(context, id))!).toMatchObject({
      report: { balanced: true, unclaimed: '3.00' },
      problems: [],
    });
  },
);

test('a rain that lacks nothing is refused as before, and one that is open is paused first', async () => {
  await context.wonRain('whole', 1);
  expect(await writeOffRain(context, 'whole', 'x')).toMatchObject({
    ok: false,
    refusals: [{ reason: expect.stringContaining('Redis still holds') as string }],
  });
  await shrunk('open', 0);
  await context.redis.hdel(shardKeys('open', 0).state, 'held');
  expect(await writeOffRain(context, 'open', 'no later backup')).toMatchObject({ ok: true, withdrawn: 3 });
  expect((await stored('open')).state).toBe('paused');
});
