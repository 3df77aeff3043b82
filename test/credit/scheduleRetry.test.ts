import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creditJob, creditJobId, ENTRIES_MAX, rangeOfJobId, type CreditJob } from '../../src/credit/job.ts';
import type { Late } from '../../src/credit/bisect.ts';
import type { LoggedClaim } from '../../src/credit/logEntries.ts';
import { CLAIM_RETRY_POLICY, ORDER_RETRY_POLICY } from '../../src/credit/retryPolicy.ts';
import { scheduleRetry as scheduleRetryOf, type ScheduleRetryOptions } from '../../src/credit/scheduleRetry.ts';
import { RETRY_AFTER_MS_MAX } from '../../src/platform/network/retryAfter.ts';
import { claimOf } from '../ledger/claims.ts';

const NOW = 1_795_000_000_000;
const parts = {
  retryPolicy: { firstDelayMs: 100, delayMsMax: 1_000, attemptsMax: 5, totalMsMax: 60_000 },
  now: () => NOW,
  random: () => 0.5,
};
const job: CreditJob = { rainId: 'rain', shard: 1, from: 100, entries: [] };
const late = (index: number, afterMs?: number): Late<LoggedClaim> => {
  const claim = claimOf('rain', index);
  return { index, entry: JSON.stringify(claim), claim, detail: 'no answer', ...(afterMs !== undefined && { afterMs }) };
};
const scheduleRetry = (
  id: string,
  data: CreditJob,
  entries: readonly Late<LoggedClaim>[],
  options: ScheduleRetryOptions,
) => scheduleRetryOf({ id, data, idOf: creditJobId }, entries, options);
const later = (attempts: number, since = NOW) => ({ ...job, later: { attempts, since, chain: 'abcd1234' } });

describe('claims that are retried later', () => {
  it('stay with adjacent claims, and each is in one job or given up', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(ENTRIES_MAX), { maxLength: 60 }),
        fc.integer({ min: 0, max: 6 }),
        fc.nat(120_000),
        (indexes, attempts, elapsedMs) => {
          const claims = indexes.sort((a, b) => a - b).map((index) => late(index));
          const { jobs, lost } = scheduleRetry(
            'id',
            attempts === 0 ? job : later(attempts, NOW - elapsedMs),
            claims,
            parts,
          );
          const carried = jobs.flatMap(({ data }) => data.entries.map((entry, i) => [data.from + i, entry]));
          expect([...carried, ...lost.map(({ index, entry }) => [index, entry])]).toEqual(
            claims.map(({ index, entry }) => [index, entry]),
          );
          // Two runs do not touch, or they would be one.
          jobs
            .slice(1)
            .forEach(({ data }, i) =>
              expect(data.from).toBeGreaterThan(jobs[i]!.data.from + jobs[i]!.data.entries.length),
            );
          for (const { data, id } of jobs) {
            expect(creditJob.parse(data)).toEqual(data);
            expect(rangeOfJobId(id)).toEqual({
              rainId: 'rain',
              shard: 1,
              from: data.from,
              to: data.from + data.entries.length,
            });
          }
        },
      ),
    );
  });

  it('[R10] are retried up to a limit of times and duration, then given up with the last answer', () => {
    expect(scheduleRetry('id', later(3), [late(7)], parts).jobs).toHaveLength(1);
    expect(scheduleRetry('id', later(4, NOW - 30_000), [late(7)], parts)).toEqual({
      jobs: [],
      lost: [
        {
          index: 7,
          entry: late(7).entry,
          reason: 'unavailable',
          detail: 'tried 5 times in 30 s; last answer: no answer',
        },
      ],
    });
    expect(scheduleRetry('id', later(1, NOW - 60_000), [late(7)], parts).lost).toHaveLength(1);
    expect(scheduleRetry('id', later(1, NOW - 59_999), [late(7)], parts).lost).toEqual([]);
  });

  it('wait longer each time, and at least as long as requested', () => {
    const delays = (attempts: number, ...asked: (number | undefined)[]) =>
      scheduleRetry(
        'id',
        attempts === 0 ? job : later(attempts),
        asked.map((ms, i) => late(i, ms)),
        parts,
      ).jobs.map(({ delayMs }) => delayMs);
    expect([0, 1, 2, 3].map((attempts) => delays(attempts, undefined)[0])).toEqual([75, 150, 300, 600]);
    expect(delays(0, undefined, 7_000, 20)).toEqual([75, 7_000, 75]);
    expect(delays(0, 20)).toEqual([75]);
    expect(delays(0, Number.MAX_SAFE_INTEGER)).toEqual([RETRY_AFTER_MS_MAX]);
  });

  it('do not wait for a neighbour that was asked to wait much longer; those that wait about as long stay together', () => {
    const runs = (...asked: (number | undefined)[]) =>
      scheduleRetry(
        'id',
        job,
        asked.map((ms, i) => late(i, ms)),
        parts,
      ).jobs.map(({ data, delayMs }) => [data.from, data.entries.length, delayMs]);
    expect(runs(undefined, undefined, 600_000, undefined)).toEqual([
      [0, 2, 75],
      [2, 1, 600_000],
      [3, 1, 75],
    ]);
    // Requests that are shorter than the usual pause are no difference.
    expect(runs(undefined, 20, 100)).toEqual([[0, 3, 100]]);
    expect(runs(7_000, 9_000, 13_000, 15_000)).toEqual([
      [0, 3, 13_000],
      [3, 1, 15_000],
    ]);
    expect(runs(600_000, Number.MAX_SAFE_INTEGER)).toEqual([[0, 2, RETRY_AFTER_MS_MAX]]);
  });

  it('[R10] are tried often enough while they may still be accepted: a pause takes a fourth of that time, a requested one half of it', () => {
    const delay = (leftMs: number, afterMs?: number, attempts = 3) =>
      scheduleRetry('id', later(attempts), [{ ...late(0, afterMs), leftMs }], parts).jobs[0]!.delayMs;
    expect([60_000, 2_000, 1_000, 300, 1].map((leftMs) => delay(leftMs))).toEqual([600, 500, 250, 100, 100]);
    expect([120_000, 60_000, 1_000, 10].map((leftMs) => delay(leftMs, 40_000))).toEqual([40_000, 30_000, 500, 100]);
    // Its time is over: somebody else ends it, and that is to be noticed soon.
    expect([delay(0), delay(-5), delay(0, 40_000)]).toEqual([600, 600, 1_000]);
    for (const holdMs of [10_000, 60_000, 600_000, 7_200_000]) {
      let [tries, leftMs] = [0, holdMs];
      for (; leftMs > 0; tries++)
        leftMs -= scheduleRetryOf(
          { id: 'id', data: later(Math.max(1, tries)), idOf: creditJobId },
          [{ ...late(0), leftMs }],
          { ...parts, retryPolicy: ORDER_RETRY_POLICY, random: () => 0 },
        ).jobs[0]!.delayMs;
      expect(tries, String(holdMs)).toBeGreaterThan(8);
      expect(tries, String(holdMs)).toBeLessThan(ORDER_RETRY_POLICY.attemptsMax);
    }
  });

  it('remember what was answered last', () => {
    expect(scheduleRetry('id', job, [late(0)], parts).jobs[0]!.data.later).toMatchObject({
      attempts: 1,
      detail: 'no answer',
    });
  });

  it('get the same job id when their first job is repeated, and another one for each retry and each resent range', () => {
    const ids = (id: string, parent: CreditJob) =>
      scheduleRetry(id, parent, [late(1), late(2), late(9)], parts).jobs.map((made) => made.id);
    expect(ids('first', job)).toEqual(ids('first', job));
    const all = [...ids('first', job), ...ids('second', job), ...ids('x', later(1)), ...ids('x', later(2))];
    expect(new Set(all).size).toBe(8);
  });

  it('have two hours, more or less, before they are given up', () => {
    expect(CLAIM_RETRY_POLICY).toMatchObject({ totalMsMax: 7_200_000, attemptsMax: 40 });
  });
});

describe('the range of a job', () => {
  it('stands in its id', () => {
    const some = { rainId: 'a-1-2_b', shard: 3, from: 100, entries: ['x', 'y'] };
    for (const again of [undefined, '1', '8f14e45f-ceea-4671-9e1e-0a1b2c3d4e5f', 'abcd1234-17']) {
      expect(rangeOfJobId(creditJobId(some, again))).toEqual({ rainId: 'a-1-2_b', shard: 3, from: 100, to: 102 });
      // The same for a round of a campaign.
      expect(rangeOfJobId(creditJobId({ ...some, rainId: 'a-1.12' }, again))).toEqual({
        rainId: 'a-1.12',
        shard: 3,
        from: 100,
        to: 102,
      });
    }
    expect(rangeOfJobId('unreadable-job')).toBeUndefined();
  });
});
