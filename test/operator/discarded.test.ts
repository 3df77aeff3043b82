import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deadLetterId } from '../../src/credit/deadLetter.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { findRain } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { discardDeadLetter } from '../../src/operator/deadLetters/discard.ts';
import { listDeadLetters } from '../../src/operator/deadLetters/letters.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
beforeEach(() => {
  context.barred.clear();
});
afterAll(() => context?.stop());

/** Earlier wins are credited; this one comes later. */
const LATER = '1999999999999';
const letters = async (rainId: string) => (await listDeadLetters(context, { rainId, skip: 0, limit: 100 })).letters;

describe('a rain with a malformed entry, a claim told twice and a refused one', () => {
  test('[R8] settles once the operator has discarded them, and all accounts sum to zero', async () => {
    context.barred.add('user-3');
    await context.wonRain('whole', 5);
    await context.redis.rpop(shardKeys('whole', 0).packets);
    await context.log('whole', '{"redPacketId":"whole-5","amo');
    await context.log('whole', { rainId: 'whole', redPacketId: 'whole-0', amount: '1.00', userId: 'late', at: LATER });
    await context.credit();
    await closeRain(context, 'whole');
    const live = (await findRain(context.redis, 'whole'))!;
    const [before, found] = [await auditRain(context, 'whole'), await letters('whole')];
    expect(before!.report).toMatchObject({
      balanced: false,
      told_twice: 1,
      credited: '4.00',
      pending: '1.00',
      unclaimed: '4.00',
      spoiled: '1.00',
      winners: 5,
    });
    expect(before!.report.counts).toEqual({
      budget: 10,
      credited: 4,
      pending: 1,
      unclaimed: 4,
      recycled: 0,
      spoiled: 1,
    });
    expect(before!.problems).toEqual([
      expect.stringMatching(/^an entry of the claim log is not a claim: not JSON; letter whole-0-5-/),
    ]);
    const of = (reason: string) => found.find((letter) => letter.reason === reason)!.letter;
    expect(before!.toldTwice).toEqual([
      {
        redPacketId: 'whole-0',
        amountCents: 100n,
        toldTo: 'late',
        paid: { userId: 'user-0', redPacketId: 'whole-0' },
        letterId: of('told_twice'),
      },
    ]);
    expect(before!.queues).toMatchObject({ dead: { count: 3, cents: 200n }, complete: true });

    expect(await settleRain(context, 'whole', live)).toEqual({ outcome: 'waiting', pending: 3 });
    expect(await discardDeadLetter(context, of('malformed'), 'torn')).toEqual({ ok: true, outcome: 'discarded' });
    expect(await settleRain(context, 'whole', live)).toEqual({ outcome: 'waiting', pending: 2 });
    expect(await discardDeadLetter(context, of('refused'), 'the account is closed')).toEqual({
      ok: true,
      outcome: 'returned',
      amount: '1.00',
    });
    expect(await settleRain(context, 'whole', live)).toEqual({ outcome: 'waiting', pending: 1 });
    expect(await discardDeadLetter(context, of('told_twice'), 'compensated by voucher 123')).toEqual({
      ok: true,
      outcome: 'discarded',
    });
    expect(await settleRain(context, 'whole', live)).toEqual({ outcome: 'settled' });

    const after = (await auditRain(context, 'whole'))!;
    expect(after.report).toMatchObject({
      balanced: true,
      told_twice: 0,
      discarded: 3,
      credited: '4.00',
      pending: '0.00',
      unclaimed: '0.00',
      recycled: '6.00',
      spoiled: '0.00',
      winners: 4,
    });
    expect(after.report.counts).toEqual({ budget: 10, credited: 4, pending: 0, unclaimed: 0, recycled: 6, spoiled: 0 });
    expect(after.acknowledged.map(({ deadReason, reason }) => [deadReason, reason]).sort()).toEqual([
      ['malformed', 'torn'],
      ['refused', 'the account is closed'],
      ['told_twice', 'compensated by voucher 123'],
    ]);
    expect(await context.ledger.book('whole')).toMatchObject({
      fundedCents: 1_000n,
      credited: { cents: 400n },
      recycledCents: 500n,
      discarded: { cents: 100n },
    });
    expect(await context.ledger.sumOfBalances()).toBe(0n);
    expect(await settleRain(context, 'whole', live)).toEqual({ outcome: 'settled' });
    // After the keys in Redis expire, the ledger alone is balanced.
    await context.redis.del(...Object.values(shardKeys('whole', 0)));
    expect((await auditRain(context, 'whole'))!.report).toEqual(after.report);
  });

  test('another entry at the same position does not count as the discarded one', async () => {
    await context.wonRain('place', 0);
    await context.log('place', 'torn');
    await context.credit();
    const { letter } = (await letters('place'))[0]!;
    await discardDeadLetter(context, letter, 'torn');
    expect((await auditRain(context, 'place'))!.report).toMatchObject({ balanced: true });
    await context.redis.lset(shardKeys('place', 0).claims, 0, 'torn otherwise');
    expect((await auditRain(context, 'place'))!).toMatchObject({
      report: { balanced: false },
      problems: [
        expect.stringContaining(deadLetterId({ rainId: 'place', shard: 0, index: 0, entry: 'torn otherwise' })),
      ],
    });
  });
});
