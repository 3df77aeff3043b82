import { describe, expect, it } from 'vitest';
import { delayBeforeRetry } from '../../src/credit/backoff.ts';
import { creditJobId } from '../../src/credit/job.ts';

describe('the id of a job', () => {
  const job = { rainId: '12', shard: 3, from: 100, entries: ['a', 'b'] };

  it('names the range and what is in it, in letters BullMQ takes', () => {
    expect(creditJobId(job)).toMatch(/^12-3-100-102-[0-9a-f]{16}$/);
    expect(creditJobId(job)).toBe(creditJobId({ ...job }));
  });

  it('is another for other claims at the same place, however they are cut, as after a failover', () => {
    const ids = [['a', 'b'], ['a', 'c'], ['ab', ''], ['', 'ab'], ['1:a', 'b']].map((entries) => creditJobId({ ...job, entries }));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is another for a deliberate repetition', () => {
    expect(new Set([creditJobId(job), creditJobId(job, '1'), creditJobId(job, '2')]).size).toBe(3);
  });
});

describe('the delay before a retry', () => {
  const backoff = { firstDelayMs: 100, delayMsMax: 30_000 };

  it('doubles, is capped, and lies between half and all of it by chance', () => {
    expect([1, 2, 3, 9, 10, 40, 4_000].map((attempts) => delayBeforeRetry(attempts, backoff, () => 1))).toEqual([100, 200, 400, 25_600, 30_000, 30_000, 30_000]);
    expect(delayBeforeRetry(3, backoff, () => 0)).toBe(200);
    expect(delayBeforeRetry(3, backoff, () => 0.5)).toBe(300);
  });
});
