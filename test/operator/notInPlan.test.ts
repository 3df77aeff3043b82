import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { findRain } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { discardDeadLetter } from '../../src/operator/deadLetters/discard.ts';
import { listDeadLetters } from '../../src/operator/deadLetters/letters.ts';
import { requeueRain } from '../../src/operator/deadLetters/requeue.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
afterAll(() => context?.stop());

const LATER = '1999999999999';
const letters = async (rainId: string) => (await listDeadLetters(context, { rainId, skip: 0, limit: 100 })).letters;
const grab = (rainId: string, user: string) =>
  createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab(rainId, 0, [user]);

async function discardAll(rainId: string): Promise<void> {
  for (const { letter, reason } of await letters(rainId)) {
    expect(reason).toBe('not_in_plan');
    expect(await discardDeadLetter(context, letter, 'written to Redis by a stranger')).toEqual({
      ok: true,
      outcome: 'discarded',
    });
  }
}

async function settled(rainId: string) {
  await closeRain(context, rainId);
  expect(await settleRain(context, rainId, (await findRain(context.redis, rainId))!)).toEqual({ outcome: 'settled' });
  expect(await context.ledger.sumOfBalances()).toBe(0n);
  return (await auditRain(context, rainId))!;
}

test('[R14] false claims are discarded without moving money, their real packets are won as before, and the rain is settled', async () => {
  await context.wonRain('false', 4);
  await context.log('false', { rainId: 'false', redPacketId: 'false-4', amount: '5.00', userId: 'thief', at: LATER });
  await context.log('false', { rainId: 'false', redPacketId: 'false-10', amount: '5.00', userId: 'thief', at: LATER });
  await context.credit();
  expect(await requeueRain(context, 'false')).toMatchObject({ ok: true, letters: 2 });
  await context.drained();
  await discardAll('false');
  expect(await context.ledger.book('false')).toMatchObject({
    credited: { count: 4, cents: 400n },
    discarded: { count: 0, cents: 0n },
    discardedClaims: 2,
  });
  expect(await grab('false', 'honest')).toMatchObject([{ code: '0' }]);
  await context.credit();
  expect(await context.ledger.creditOf('false', 'honest')).toMatchObject({ redPacketId: 'false-4', amountCents: 100n });
  expect((await settled('false')).report).toMatchObject({
    balanced: true,
    credited: '5.00',
    recycled: '5.00',
    discarded: 2,
  });
});

test('[R14] a claim that was raised in the log, whose packet is in no list any more: after the discard its true money goes back', async () => {
  await context.wonRain('raised', 3);
  const { claims } = shardKeys('raised', 0);
  const entry = (await context.redis.lindex(claims, 0))!;
  await context.redis.lset(claims, 0, entry.replace('"1.00"', '"5.00"'));
  await context.credit();
  await discardAll('raised');
  expect((await auditRain(context, 'raised'))!).toMatchObject({
    report: { balanced: true, credited: '2.00', spoiled: '1.00', unclaimed: '7.00' },
    problems: [],
  });
  const { report } = await settled('raised');
  expect(report).toMatchObject({ balanced: true, credited: '2.00', spoiled: '0.00', recycled: '8.00', discarded: 1 });
  await context.redis.del(...Object.values(shardKeys('raised', 0)));
  expect((await auditRain(context, 'raised'))!.report).toEqual(report);
});
