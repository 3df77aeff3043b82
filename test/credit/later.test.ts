import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PayoutProvider, PostOutcome } from '../../src/credit/payoutProvider.ts';
import { creditRange, type RangeDependencies } from '../../src/credit/creditRange.ts';
import { creditJobId, type CreditJob } from '../../src/credit/job.ts';
import { ledgerProvider } from '../../src/credit/ledgerProvider.ts';
import { RETRY_DELAY_MS_MAX, type RetryPolicy } from '../../src/credit/retryPolicy.ts';
import { pendingRanges } from '../../src/credit/queue.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { claimsOf, expectBalanced, newRain, sumOfFirst } from '../ledger/claims.ts';
import { eventually } from '../support/eventually.ts';
import { openRoom, type Room } from './room.ts';

const retryPolicy: RetryPolicy = { firstDelayMs: 20, delayMsMax: 80, attemptsMax: 4, totalMsMax: 60_000 };

describe('claims that the payout provider does not accept yet', () => {
  let room: Room;
  beforeAll(async () => {
    room = await openRoom();
  });
  afterEach(async () => {
    await room.rest();
    await expectBalanced(room.database);
  });
  afterAll(() => room?.stop());

  const jobOf = (rainId: string, claims: readonly Claim[]): CreditJob => ({
    rainId,
    shard: 0,
    from: 0,
    entries: claims.map((claim) => JSON.stringify(claim)),
  });
  const add = (job: CreditJob) => room.queue.add('range', job, { jobId: creditJobId(job) });
  const credited = async (rainId: string) => (await room.ledger.book(rainId))!.credited;
  const pending = async (...queues: Room['queue'][]) =>
    (await Promise.all(queues.map((queue) => queue.getJobCountByTypes('waiting', 'active', 'delayed')))).reduce(
      (sum, count) => sum + count,
      0,
    );
  const drained = () =>
    eventually(async () => (await pending(room.queue)) + (await pending(room.later)) === 0, { timeoutMs: 20_000 });

  /**
   * The ledger, for everybody but these users; tells of each call how many claims were in it and whether they are to be
   * taken apart.
   */
  function reluctant(
    users: readonly string[],
    answer: (userId: string) => PostOutcome = () => ({ outcome: 'reconsumeLater', detail: 'the wallet answered 503' }),
  ): PayoutProvider & { calls: [number, boolean][] } {
    const real = ledgerProvider(room.ledger);
    const calls: [number, boolean][] = [];
    return {
      calls,
      async post(rainId, claims, apart = false) {
        calls.push([claims.length, apart]);
        const taken = claims.filter(({ userId }) => !users.includes(userId));
        const outcomes = taken.length === 0 ? [] : await real.post(rainId, taken);
        return claims.map((claim) =>
          users.includes(claim.userId) ? answer(claim.userId) : outcomes[taken.indexOf(claim)]!,
        );
      },
    };
  }

  it('delay no others: of 500 the other 499 are credited at the first attempt, that one is retried and then a dead letter', async () => {
    await room.ledger.createRain(newRain('one', sumOfFirst(500)), 'ann');
    const told: number[] = [];
    const balance = reluctant(['u250']);
    const parent = await add(jobOf('one', claimsOf('one', 0, 500)));
    room.work({ balance, retryPolicy, onCredited: async (_rainId, _shard, claims) => void told.push(claims.length) });
    await eventually(() => expect(told).toEqual([499]));
    expect((await room.queue.getJob(parent.id!))!.attemptsMade).toBeLessThanOrEqual(1);
    await drained();
    expect(balance.calls).toEqual([
      [500, false],
      [1, true],
      [1, true],
      [1, true],
    ]);
    expect(await credited('one')).toEqual({ count: 499, cents: sumOfFirst(500) - 251n });
    const letters = await room.letters('one');
    expect(letters).toMatchObject([
      {
        index: 250,
        reason: 'unavailable',
        detail: expect.stringMatching(/^tried 4 times in \d+ s; last answer: the wallet answered 503$/),
      },
    ]);
    expect(told).toEqual([499]);
  });

  it('are credited once when it accepts them, adjacent claims together', async () => {
    await room.ledger.createRain(newRain('late', sumOfFirst(20)), 'ann');
    const reluctance = ['u3', 'u4', 'u5', 'u9'];
    const balance = reluctant(reluctance, (userId) => {
      reluctance.splice(reluctance.indexOf(userId), 1);
      return { outcome: 'reconsumeLater', detail: 'no answer' };
    });
    await add(jobOf('late', claimsOf('late', 0, 20)));
    room.work({ balance, retryPolicy });
    await eventually(async () => expect(await credited('late')).toEqual({ count: 20, cents: sumOfFirst(20) }));
    await drained();
    expect(balance.calls.slice(1).sort()).toEqual([
      [1, true],
      [3, true],
    ]);
    expect(await room.letters('late')).toEqual([]);
  });

  it('wait as long as requested, and redelivery can read their ranges', async () => {
    await room.ledger.createRain(newRain('asked', 1_000n), 'ann');
    await add(jobOf('asked', claimsOf('asked', 0, 10)));
    room.work({
      retryPolicy,
      balance: reluctant(['u2', 'u3'], () => ({ outcome: 'reconsumeLater', detail: '429', afterMs: 300_000 })),
    });
    await eventually(async () => expect(await credited('asked')).toMatchObject({ count: 8 }));
    await eventually(async () => expect(await pending(room.queue)).toBe(0));
    expect((await room.later.getDelayed()).map(({ delay }) => delay)).toEqual([300_000]);
    expect(await pendingRanges(room.redis, [room.queue, room.later])).toEqual([
      { rainId: 'asked', shard: 0, from: 2, to: 4 },
    ]);
    await room.later.obliterate({ force: true });
  });

  it('of which somebody has written only the id, due in the year 3000, are not pending: redelivery sends them again', async () => {
    const far = Date.UTC(3_000, 0) * 0x1000;
    const id = creditJobId(jobOf('never', claimsOf('never', 0, 5)));
    for (const lane of [room.queue, room.later]) await room.hand.zadd(lane.toKey('delayed'), far, id);
    await room.later.add('range', jobOf('soon', claimsOf('soon', 0, 5)), {
      jobId: creditJobId(jobOf('soon', claimsOf('soon', 0, 5))),
      delay: RETRY_DELAY_MS_MAX,
    });
    expect(await pendingRanges(room.redis, [room.queue, room.later])).toEqual([
      { rainId: 'soon', shard: 0, from: 0, to: 5 },
    ]);
    await Promise.all([room.queue, room.later].map((lane) => lane.obliterate({ force: true })));
  });

  it('are one job when their first job is repeated after a crash', async () => {
    await room.ledger.createRain(newRain('crash', 1_000n), 'ann');
    const job = jobOf('crash', claimsOf('crash', 0, 5));
    const parts: RangeDependencies = {
      retryPolicy: { ...retryPolicy, firstDelayMs: 60_000, delayMsMax: 60_000 },
      now: Date.now,
      random: Math.random,
      balance: reluctant(['u1', 'u4']),
      onCredited: async () => {},
      deadLetter: async () => {},
      addLater: async (jobs) =>
        void (await room.later.addBulk(
          jobs.map(({ id, data, delayMs }) => ({ name: 'range', data, opts: { jobId: id, delay: delayMs } })),
        )),
    };
    for (let crash = 0; crash < 3; crash++)
      expect(await creditRange('parent', job, parts)).toEqual({ credited: 3, dead: 0, later: 2 });
    expect(await pending(room.later)).toBe(2);
    await room.later.obliterate({ force: true });
  });

  it('[R10] that no longer fit into their lane delay their job, not its other claims', async () => {
    await room.ledger.createRain(newRain('full', sumOfFirst(5)), 'ann');
    const reluctance = ['u1'];
    await room.later.add('range', jobOf('full', claimsOf('full', 0, 1)), { jobId: 'in-the-way', delay: 600_000 });
    const job = await add(jobOf('full', claimsOf('full', 0, 5)));
    room.work({ balance: reluctant(reluctance), retryPolicy, laterJobsMax: 1 });
    await eventually(async () => expect((await room.queue.getJob(job.id!))!.attemptsMade).toBeGreaterThan(1));
    expect((await room.queue.getJob(job.id!))!.failedReason).toContain('lane');
    expect(await credited('full')).toMatchObject({ count: 4 });
    reluctance.pop();
    await eventually(async () => expect(await credited('full')).toEqual({ count: 5, cents: sumOfFirst(5) }));
    await room.later.obliterate({ force: true });
  });

  it('have their own retry limit, and faults of the ledger another: a job that meets a fault is retried whole and dead-letters nothing', async () => {
    await room.ledger.createRain(newRain('away', sumOfFirst(3)), 'ann');
    let faults = 3 * retryPolicy.attemptsMax;
    const real = ledgerProvider(room.ledger);
    await add(jobOf('away', claimsOf('away', 0, 3)));
    room.work({
      retryPolicy,
      balance: {
        post: (rainId, claims) =>
          faults-- > 0 ? Promise.reject(new Error('the database is away')) : real.post(rainId, claims),
      },
    });
    await eventually(async () => expect(await credited('away')).toEqual({ count: 3, cents: sumOfFirst(3) }), {
      timeoutMs: 15_000,
    });
    expect(await room.letters('away')).toEqual([]);
  });
});
