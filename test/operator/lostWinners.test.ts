import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { rememberEnd } from '../../src/store/endedRains.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createSigner } from '../../src/store/signer.ts';
import { recordTold } from '../../src/store/told.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { applyRestore } from '../../src/operator/restore/apply.ts';
import { compareRain } from '../../src/operator/restore/compare.ts';
import { importWinners } from '../../src/operator/restore/importWinners.ts';
import { resumeRain } from '../../src/operator/transitions.ts';
import { winnersSheet } from '../../src/operator/winners/sheet.ts';
import { writeOffRain } from '../../src/operator/writeOff.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { signer } from '../support/signer.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = { ...(await openQueueContext()), signer };
});
afterAll(() => context.stop());
beforeEach(() => context.redis.flushall());

const report = async (id: string) => (await auditRain(context, id))!.report;
const refused = (field: string, reason: string) => ({
  ok: false,
  refusals: [{ field, reason: expect.stringContaining(reason) as string }],
});

/**
 * Ten packets of 1.00, three won, the first one credited; then Redis has lost everything but what gateways have written
 * down.
 */
async function lostWithTold(id: string): Promise<void> {
  await context.wonRain(id, 3);
  const [first, second, third] = await claimLog(context, id);
  await context.ledger.credit([first!]);
  await context.redis.flushall();
  const told = [second!, third!].map(({ redPacketId, amount, userId, at }) => ({
    shard: 0,
    userId,
    redPacketId,
    amount,
    at: Number(at),
  }));
  await recordTold(context.redis, signer, id, [
    ...told,
    { ...told[1]!, userId: 'raised', redPacketId: `${id}-7`, amount: '9.00' },
  ]);
  await recordTold(context.redis, createSigner('the secret of a thief, as long as ours is'), id, [
    { ...told[1]!, userId: 'thief', redPacketId: `${id}-8` },
  ]);
}

test('a write-off lists told wins, and does nothing until the operator says whether they are paid', async () => {
  await lostWithTold('asked');
  expect(await writeOffRain(context, 'asked', 'burned')).toEqual(
    refused('told', 'user-1 asked-1 1.00, user-2 asked-2 1.00; pay them with --pay-told'),
  );
  expect(await writeOffRain(context, 'asked', 'burned', { dryRun: true, payTold: true })).toMatchObject({
    ok: true,
    amount: '7.00',
    told: [
      { userId: 'user-1', verdict: 'payable' },
      { userId: 'user-2', verdict: 'payable' },
      { userId: 'raised', verdict: 'unverified' },
    ],
  });
  expect(await context.ledger.book('asked')).toMatchObject({ credited: { count: 1 }, recycledCents: 0n });
  expect(await writeOffRain(context, 'asked', 'burned', { payTold: false })).toMatchObject({
    ok: true,
    amount: '9.00',
  });
});

test('told wins are paid before the rest goes back, those without a genuine receipt never, and it is recorded', async () => {
  await lostWithTold('paid');
  expect(await writeOffRain(context, 'paid', 'the disk burned', { payTold: true })).toMatchObject({
    ok: true,
    amount: '7.00',
  });
  expect(await report('paid')).toMatchObject({ balanced: true, credited: '3.00', recycled: '7.00' });
  for (const user of ['thief', 'raised']) expect(await context.ledger.creditOf('paid', user)).toBeUndefined();
  expect((await context.ledger.actions('paid')).find(({ verb }) => verb === 'write-off')).toMatchObject({
    details: { reason: 'the disk burned', told: 3, paid: 2, wins: ['paid-1 user-1', 'paid-2 user-2'] },
  });
});

test('a told win that the wallet refuses keeps the money from going back', async () => {
  await lostWithTold('barred');
  context.barred.add('user-2');
  expect(await writeOffRain(context, 'barred', 'burned', { payTold: true })).toEqual(
    refused('told', '1 of 2 told wins are not credited yet, and nothing went back'),
  );
  context.barred.clear();
  expect(await context.ledger.book('barred')).toMatchObject({ recycledCents: 0n });
  expect(await writeOffRain(context, 'barred', 'burned', { payTold: true })).toMatchObject({
    ok: true,
    amount: '7.00',
  });
});

test('an exported list brings winners back into a rain that has been rebuilt, each once', async () => {
  await context.wonRain('listed', 4);
  await context.ledger.credit((await claimLog(context, 'listed')).slice(0, 1));
  const sheet = (await (await winnersSheet(context, (await context.ledger.rain('listed'))!)).toArray()).join('');
  await context.redis.flushall();
  expect(await applyRestore(context, 'listed', { reason: 'burned', waitMs: 0 })).toMatchObject({ ok: true });
  await resumeRain(context, 'listed');
  expect(await importWinners(context, 'listed', sheet, { dryRun: true })).toMatchObject({
    ok: true,
    winners: 4,
    known: 1,
    written: 3,
  });
  expect(await importWinners(context, 'listed', sheet)).toMatchObject({
    ok: true,
    winners: 4,
    known: 1,
    written: 3,
    sent: 0,
  });
  expect(await importWinners(context, 'listed', sheet)).toMatchObject({ ok: true, written: 0, sent: 0 });
  expect(await context.redis.hget(shardKeys('listed', 0).state, 'state')).toBe('paused');
  await context.credit();
  expect(await report('listed')).toMatchObject({ balanced: true, credited: '4.00', unclaimed: '6.00' });
});

test('settled, its keys expired, and PostgreSQL older than the settlement: nothing goes back before the winners are imported', async () => {
  await context.wonRain('settled', 2);
  await context.redis.flushall();
  await rememberEnd(context.redis, 'settled', await redisNow(context.redis));
  expect((await compareRain(context, 'settled'))!.counts).toEqual({ winners_unknown: 1 });
  expect(await applyRestore(context, 'settled', { reason: 'x' })).toEqual(refused('id', 'rain restore import settled'));
  expect(await writeOffRain(context, 'settled', 'x')).toEqual(refused('id', 'rain restore import settled'));
  const statement =
    'time,amount,id\n2026-11-20T20:00:00Z,1.00,settled-0:user-0:1.00\n1795000000000,1.00,settled-1:us%65r-1:1.00\n';
  expect(await importWinners(context, 'settled', statement, { waitMs: 10_000 })).toMatchObject({
    ok: true,
    winners: 2,
    sent: 2,
    waiting: 0,
  });
  expect(await writeOffRain(context, 'settled', 'the backup was older')).toEqual({ ok: true, amount: '8.00' });
  expect(await report('settled')).toMatchObject({ balanced: true, credited: '2.00', recycled: '8.00' });
});

test('[R12] what cannot be a winner is refused with line and column, and nobody is imported', async () => {
  await context.wonRain('bad', 0);
  const at = async (rows: string, head = 'redPacketId,userId,amount') => {
    const done = await importWinners(context, 'bad', `${head}\n${rows}\n`);
    return done.ok ? [] : done.refusals.map(({ field, reason }) => `${field}: ${reason}`);
  };
  expect(await at('bad-0,ann,1.00\nbad-10,bob,1.00\nbad-1,eve,2.00\nbad-0,joe,1.00\nbad-2,ann,1.00')).toEqual([
    'line 3, column redPacketId: bad-10 is no packet of the rain bad',
    'line 4, column amount: bad-1 has 1.00 in the plan, not 2.00',
    'line 5, column redPacketId: bad-0 is in line 2 already',
    'line 6, column userId: ann is in line 2 already, and wins one packet of a rain',
  ]);
  expect(await at('bad-0,ann,12')).toEqual(['line 2, column amount: expected a positive amount such as "12.21"']);
  expect(await at('bad-0,ann', 'redPacketId,userId')).toEqual([
    expect.stringMatching(/^line 1, column amount: missing, expected the columns/),
  ]);
  expect(await at('bad-0,1.00,never', 'id,amount,time')).toEqual([expect.stringContaining('line 2, column user')]);
  expect(await at('bad-0,"ann')).toEqual([expect.stringMatching(/^line \d+: .*expected CSV/)]);
  expect(await claimLog(context, 'bad')).toEqual([]);
});
