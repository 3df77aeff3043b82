import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { compareRain } from '../../src/operator/restore/compare.ts';
import { agrees } from '../../src/operator/restore/difference.ts';
import { examineRains } from '../../src/operator/doctor/rains.ts';
import { writeOffRain } from '../../src/operator/writeOff.ts';
import { heldRains, hold } from '../../src/store/holds.ts';
import { EPOCH_KEY, shardKeys } from '../../src/store/keys.ts';
import { findRain, liveRains, readRain } from '../../src/store/rains.ts';
import { forgetRain, grabAs } from '../maintenance/epochStage.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
afterAll(() => context.stop());
beforeEach(() => context.redis.flushall());

const WEEK_MS = 7 * 24 * 3_600_000;
const stored = async (id: string) => (await readRain(context.redis, id, (await findRain(context.redis, id))!))!;

/** Two wins, one of them credited before the ledger came back from a backup that does not have the rain. */
async function forgotten(id: string): Promise<void> {
  await context.wonRain(id, 1);
  await context.credit();
  await grabAs(context, id, ['late']);
  await forgetRain(context, id);
  await hold(context.redis, id, 1, 'unknown_to_ledger');
}

test("a rain that no ledger knows any more ends on the operator's word: its winners are listed, nothing is paid, and the hold ends", async () => {
  await forgotten('orphan');
  const told = [
    { redPacketId: 'orphan-0', amount: '1.00', userId: 'user-0', verdict: 'unpayable' },
    { redPacketId: 'orphan-1', amount: '1.00', userId: 'late', verdict: 'unpayable' },
  ];
  expect(await writeOffRain(context, 'orphan', ' ')).toMatchObject({ ok: false, refusals: [{ field: 'reason' }] });
  expect(await writeOffRain(context, 'orphan', 'no later backup', { dryRun: true })).toMatchObject({
    ok: true,
    amount: '0.00',
    told,
  });
  expect((await stored('orphan')).state).toBe('loaded');

  expect(await writeOffRain(context, 'orphan', 'no later backup')).toMatchObject({ ok: true, amount: '0.00', told });
  expect(await stored('orphan')).toMatchObject({ state: 'settled', claims: 2 });
  expect((await stored('orphan')).held).toBeUndefined();
  expect([...(await heldRains(context.redis)).keys(), ...(await liveRains(context.redis)).keys()]).toEqual([]);
  for (const key of [shardKeys('orphan', 0).state, shardKeys('orphan', 0).claims])
    expect(await context.redis.pttl(key)).toBeGreaterThan(4 * WEEK_MS);
  expect(await context.ledger.actions('orphan')).toContainEqual(
    expect.objectContaining({
      verb: 'write-off',
      details: expect.objectContaining({ reason: 'no later backup', told: 2 }) as unknown,
    }),
  );
  expect(await context.ledger.sumOfBalances()).toBe(0n);

  const left = (await compareRain(context, 'orphan'))!;
  expect(left.counts).toEqual({ written_off: 1, unpayable: 2 });
  expect(agrees(left)).toBe(true);
  expect((await examineRains(context)).map(({ verdict }) => verdict)).toEqual(['ok', 'ok']);
  // If it was cut, it is repeated.
  expect(await writeOffRain(context, 'orphan', 'again')).toMatchObject({ ok: true, told });
});

test('claims of a rain that is given up are no dead letters: they are explained', async () => {
  await context.wonRain('queued', 1);
  await forgetRain(context, 'queued');
  expect(await writeOffRain(context, 'queued', 'no later backup')).toMatchObject({ ok: true });
  const letterIds = (await context.ledger.discards('queued')).map(({ letterId }) => letterId);
  expect(letterIds).toHaveLength(1);
  expect((await context.ledger.discardedClaims(letterIds)).size).toBe(1);
});

test('a claim that is not of our packets is listed apart: somebody else has written it', async () => {
  await context.wonRain('forged', 1);
  await context.redis.lpush(
    shardKeys('forged', 0).claims,
    JSON.stringify({
      rainId: 'forged',
      redPacketId: 'forged-7',
      amount: '99.00',
      userId: 'thief',
      at: '1999999999999',
      mac: 'x',
    }),
  );
  await forgetRain(context, 'forged');
  const done = await writeOffRain(context, 'forged', 'no later backup');
  expect(done.ok && done.told?.map(({ userId, verdict }) => [userId, verdict])).toEqual([
    ['user-0', 'unpayable'],
    ['thief', 'unverified'],
  ]);
});

test('with another database than Redis was used with, nothing is given up but on a word of its own', async () => {
  await forgotten('elsewhere');
  await context.redis.hset(EPOCH_KEY, 'store', '00000000-0000-4000-8000-000000000000', 'counter', 5);
  expect(await writeOffRain(context, 'elsewhere', 'no backup')).toMatchObject({
    ok: false,
    refusals: [{ field: 'stores', reason: expect.stringContaining('DATABASE_URL') as string }],
  });
  expect((await stored('elsewhere')).state).toBe('loaded');
  expect(
    await writeOffRain(context, 'elsewhere', 'the disk burned, this one is new', { newDatabase: true }),
  ).toMatchObject({ ok: true });
});
