import { describe, expect, it } from 'vitest';
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
