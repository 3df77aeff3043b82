import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shardKeys } from '../../src/store/keys.ts';
import { findRain, readEntries } from '../../src/store/rains.ts';
import { auditAll, auditRain, isInOrder, type Audit, type AuditedRain } from '../../src/operator/audit.ts';
import { acknowledgeLost } from '../../src/operator/audit/lostClaims.ts';
import { repairRain, untilQuiet } from '../../src/operator/audit/repair.ts';
import { discardDeadLetter } from '../../src/operator/deadLetters/discard.ts';
import { listDeadLetters } from '../../src/operator/deadLetters/letters.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { startRedelivery } from '../../src/maintenance/redelivery.ts';
import { claimLog } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { execute } from '../support/servers/postgres.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { withoutAllocation } from '../support/withoutTriggers.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
beforeEach(() => {
  context.barred.clear();
});
afterAll(() => context?.stop());

const LATER = '1999999999999';
const audit = async (id: string): Promise<Audit> => (await auditRain(context, id))!;
const letters = async (rainId: string) => (await listDeadLetters(context, { rainId, skip: 0, limit: 100 })).letters;
const live = async (id: string) => (await findRain(context.redis, id))!;

/**
 * The state after a failover that has lost the newest `count` wins: they are not in the log, and their packets are in
 * the list again.
 */
async function loseNewest(id: string, count: number): Promise<void> {
  const keys = shardKeys(id, 0);
  for (let i = 0; i < count; i++) {
    const { redPacketId, amount, userId } = JSON.parse((await context.redis.lpop(keys.claims))!) as Record<
      string,
      string
    >;
    await context.redis.rpush(keys.packets, JSON.stringify({ redPacketId, amount }));
    await context.redis.hdel(keys.claimed, userId!);
  }
}

describe('the audit', () => {
  test('a win told twice leaves the equation balanced, is listed apart from problems, and blocks the settlement', async () => {
    await context.wonRain('promise', 3);
    await context.credit();
    await loseNewest('promise', 1);
    await context.log('promise', {
      rainId: 'promise',
      redPacketId: 'promise-2',
      amount: '1.00',
      userId: 'late',
      at: LATER,
    });
    await context.redis.rpop(shardKeys('promise', 0).packets);
    const found = await audit('promise');
    expect(found.report).toMatchObject({ balanced: true, told_twice: 1, credited: '3.00', unclaimed: '7.00' });
    expect(found.problems).toEqual([]);
    expect(found.toldTwice).toEqual([
      {
        redPacketId: 'promise-2',
        amountCents: 100n,
        toldTo: 'late',
        paid: { userId: 'user-2', redPacketId: 'promise-2' },
        letterId: expect.stringMatching(/^promise-0-2-/) as string,
      },
    ]);
    expect(isInOrder(found)).toBe(false);
    await closeRain(context, 'promise');
    // The counts agree, three claims and three credits, and the claims do not.
    expect(await settleRain(context, 'promise', await live('promise'))).toEqual({
      outcome: 'does_not_add_up',
      problems: [
        expect.stringMatching(
          /^promise-2 is told twice: 1\.00 to late, and it was paid to user-2; letter promise-0-2-/,
        ),
      ],
    });
    // Its letter is written when the queue has come by; the one at this place was handed over before.
    expect(await repairRain(context, 'promise')).toEqual({ ok: true, claims: 1, jobs: 1, complete: true });
    await context.drained();
    const [letter] = await letters('promise');
    expect(letter).toMatchObject({ letter: found.toldTwice[0]!.letterId, reason: 'told_twice' });
    await discardDeadLetter(context, letter!.letter, 'voucher 7');
    expect(await audit('promise')).toMatchObject({
      report: { balanced: true, told_twice: 0, discarded: 1 },
      toldTwice: [],
      acknowledged: [{ reason: 'voucher 7', actor: 'test' }],
    });
    expect(await settleRain(context, 'promise', await live('promise'))).toEqual({ outcome: 'settled' });
    expect(await context.ledger.book('promise')).toMatchObject({ credited: { cents: 300n }, recycledCents: 700n });
  });

  test('two claims to one packet, neither credited yet: the packet is pending once, and the second claim is listed as told twice', async () => {
    await context.wonRain('both', 1);
    await context.log('both', { rainId: 'both', redPacketId: 'both-0', amount: '1.00', userId: 'late', at: LATER });
    const found = await audit('both');
    expect(found.report).toMatchObject({ balanced: true, pending: '1.00', told_twice: 1 });
    expect(found.toldTwice).toMatchObject([{ redPacketId: 'both-0', toldTo: 'late' }]);
    expect(found.toldTwice[0]).not.toHaveProperty('paid');
  });

  test('a claim to a packet that was discarded for another user is told twice', async () => {
    context.barred.add('user-0');
    await context.wonRain('given', 1);
    await context.credit();
    await discardDeadLetter(context, (await letters('given'))[0]!.letter, 'closed');
    await context.log('given', { rainId: 'given', redPacketId: 'given-0', amount: '1.00', userId: 'late', at: LATER });
    await context.credit();
    expect(await letters('given')).toMatchObject([
      { userId: 'late', reason: 'discarded', detail: 'went back to the operator: 1.00' },
    ]);
    expect(await audit('given')).toMatchObject({
      report: { balanced: true, told_twice: 1, recycled: '1.00', pending: '0.00' },
      toldTwice: [{ toldTo: 'late' }],
    });
    expect(await discardDeadLetter(context, (await letters('given'))[0]!.letter, 'voucher')).toMatchObject({
      outcome: 'discarded',
    });
    expect((await audit('given')).report).toMatchObject({
      balanced: true,
      told_twice: 0,
      recycled: '1.00',
      discarded: 2,
    });
  });

  test('credits whose claims the log has lost are listed packet by packet, until the operator acknowledges them', async () => {
    await context.wonRain('lost', 4);
    await context.credit();
    await loseNewest('lost', 2);
    const found = await audit('lost');
    expect(found.report).toMatchObject({ balanced: false, credited: '4.00', unclaimed: '6.00' });
    expect(found.problems).toEqual(
      [2, 3].map(
        (n) =>
          `lost-${n} was credited to user-${n} with 1.00 and is not in the claim log: Redis has lost the claim, or it was never won`,
      ),
    );
    await closeRain(context, 'lost');
    expect(await settleRain(context, 'lost', await live('lost'))).toMatchObject({ outcome: 'does_not_add_up' });
    expect(await acknowledgeLost(context, 'lost', '')).toMatchObject({ ok: false, refusals: [{ field: 'reason' }] });
    expect(await acknowledgeLost(context, 'lost', 'the failover of tonight')).toEqual({ ok: true, claims: 2 });
    expect(await acknowledgeLost(context, 'lost', 'again')).toEqual({ ok: true, claims: 0 });
    expect((await audit('lost')).report).toMatchObject({ balanced: true, discarded: 2 });
    expect(await settleRain(context, 'lost', await live('lost'))).toEqual({ outcome: 'settled' });
    expect(await context.ledger.book('lost')).toMatchObject({ credited: { cents: 400n }, recycledCents: 600n });
    expect((await context.ledger.actions('lost')).filter(({ verb }) => verb === 'discard')).toHaveLength(2);
  });

  test('[R8] a rain with an incomplete log is not settled while a claim is pending, though the counts agree', async () => {
    await context.wonRain('short', 3);
    await context.ledger.credit((await claimLog(context, 'short')).slice(1));
    await loseNewest('short', 2);
    await acknowledgeLost(context, 'short', 'failover');
    await closeRain(context, 'short');
    expect(await settleRain(context, 'short', await live('short'))).toEqual({ outcome: 'waiting', pending: 1 });
  });

  test('money that went back for an unallocated packet, or without a discard, breaks the equation', async () => {
    await context.wonRain('stolen', 1);
    await withoutAllocation(context, 'stolen');
    await context.ledger.discard({
      letterId: 'x',
      rainId: 'stolen',
      entry: '',
      deadReason: 'refused',
      reason: 'x',
      actor: 'eve',
      claim: { redPacketId: 'no-packet', userId: 'eve', claimedCents: 100n, allocatedCents: 100n },
    });
    expect(await audit('stolen')).toMatchObject({
      report: { balanced: false },
      problems: ['discards of packets that were never allocated: 1'],
    });
    await context.wonRain('silent', 1);
    await execute(
      context.databaseUrl,
      `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId")
      VALUES ('discard:silent-0', 'recycle', 'rain:silent', 'operator', 100, 'silent', 'silent-0')`,
    );
    expect(await audit('silent')).toMatchObject({
      report: { balanced: false },
      problems: ['money of single packets went back, and no discard explains it'],
    });
  });

  test('reports the queue and the dead letters', async () => {
    await context.wonRain('queue', 3);
    const entries = await readEntries(context.redis, 'queue', 0, 0, 3);
    await context.queues.credit.add(
      'range',
      { rainId: 'queue', shard: 0, from: 0, entries },
      { jobId: 'queue-0', delay: 60_000 },
    );
    await context.queues.dead.add(
      'refused',
      { rainId: 'queue', shard: 0, index: 0, entry: entries[0]!, reason: 'refused', detail: '' },
      { jobId: 'queue-letter' },
    );
    const nothing = { jobs: 0, claims: 0 };
    expect((await audit('queue')).queues).toEqual({
      jobs: { waiting: nothing, active: nothing, delayed: { jobs: 1, claims: 3 }, failed: nothing },
      dead: { count: 1, cents: 100n },
      complete: true,
    });
    const { queues: _queues, ...blind } = context;
    expect(await auditRain(blind, 'queue')).not.toHaveProperty('queues');
    await context.queues.credit.remove('queue-0');
    await context.queues.dead.remove('queue-letter');
  });
});

describe('a repair', () => {
  test('that is credited before the first check is reported as done, not as nothing to do: 1 of 1, never 0 of 0', async () => {
    await context.wonRain('quick', 3);
    const repaired = await repairRain(context, 'quick');
    await context.drained();
    const told: number[][] = [];
    expect(
      await untilQuiet(context, 'quick', repaired.ok ? repaired.jobs : 0, 10_000, (...progress) => told.push(progress)),
    ).toBe(true);
    expect(told).toEqual([[1, 1]]);
  });

  test('sends claims missing from the ledger, and none that is credited, dead-lettered or discarded; the audit then finds them', async () => {
    context.barred.add('user-2').add('user-4');
    await context.wonRain('repair', 8);
    const entries = await readEntries(context.redis, 'repair', 0, 0, 5);
    await context.queues.credit.add('range', { rainId: 'repair', shard: 0, from: 0, entries }, { jobId: 'repair-0' });
    await context.drained();
    await discardDeadLetter(context, (await letters('repair'))[0]!.letter, 'closed');
    expect(await letters('repair')).toHaveLength(1);
    // The queue has lost the other three, and a credited one in their midst makes two jobs of them.
    await context.ledger.credit((await claimLog(context, 'repair')).slice(6, 7));
    const before = await context.queues.credit.getJobCountByTypes('completed');
    expect(await repairRain(context, 'repair')).toEqual({ ok: true, claims: 2, jobs: 2, complete: true });
    expect(await untilQuiet(context, 'repair', 2, 10_000)).toBe(true);
    expect((await context.queues.credit.getJobCountByTypes('completed')) - before).toBe(2);
    expect((await audit('repair')).report).toMatchObject({
      balanced: true,
      credited: '6.00',
      pending: '1.00',
      recycled: '1.00',
    });
    expect((await context.ledger.actions('repair')).at(-1)).toMatchObject({ verb: 'repair', details: { claims: 2 } });
    expect(await repairRain(context, 'repair')).toEqual({ ok: true, claims: 0, jobs: 0, complete: true });
    expect(await repairRain(context, 'nowhere')).toMatchObject({ ok: false, refusals: [{ field: 'id' }] });
  });
});

describe('redelivery', () => {
  test('skips discarded claims, and finds in a closed rain what the counts hide', async () => {
    context.barred.add('user-1');
    await context.wonRain('sweep', 2);
    await context.credit();
    await discardDeadLetter(context, (await letters('sweep'))[0]!.letter, 'closed');
    await context.log('sweep', 'torn');
    await context.credit();
    await discardDeadLetter(context, (await letters('sweep'))[0]!.letter, 'torn');
    await closeRain(context, 'sweep');
    await context.wonRain('hidden', 3);
    await context.redis.set(shardKeys('hidden', 0).relayed, '3');
    await context.ledger.credit((await claimLog(context, 'hidden')).slice(1));
    await loseNewest('hidden', 2);
    await acknowledgeLost(context, 'hidden', 'failover');
    await closeRain(context, 'hidden');
    const sent: string[] = [];
    const redelivery = startRedelivery({
      context,
      log: createLog('redelivery', 'silent'),
      everyMs: 10,
      sweepAfterMs: 50,
      jobsPending: async () => 0,
      pendingRanges: async () => [],
      areDead: async (_rainId, _shard, entries) => entries.map(() => false),
      resend: async (rainId, _shard, from, to) => (sent.push(rainId), to - from),
    });
    await eventually(() => expect(sent.filter((rainId) => rainId === 'hidden').length).toBeGreaterThan(1));
    await redelivery.close();
    expect(sent).not.toContain('sweep');
  });
});

describe('the audit of all rains', () => {
  test('a rain that cannot be audited does not hide the others; settled rains are audited only on demand', async () => {
    await context.wonRain('all-broken', 1);
    await context.redis.del(shardKeys('all-broken', 0).packets);
    await context.redis.set(shardKeys('all-broken', 0).packets, 'not a list');
    await context.wonRain('all-done', 0);
    await closeRain(context, 'all-done');
    await settleRain(context, 'all-done', await live('all-done'));
    await context.wonRain('all-good', 1);
    const rains = async (which: 'all' | 'unsettled', limit = 100) => {
      const found: AuditedRain[] = [];
      for await (const rain of auditAll(context, which, limit)) if (rain.rainId.startsWith('all-')) found.push(rain);
      return found;
    };
    expect(await rains('unsettled')).toMatchObject([
      { rainId: 'all-good', audit: { report: { balanced: true } } },
      { rainId: 'all-broken', fault: expect.any(Error) as Error },
    ]);
    expect((await rains('all')).map(({ rainId }) => rainId)).toEqual(['all-good', 'all-done', 'all-broken']);
    expect(await rains('all', 2)).toHaveLength(2);
  });
});
