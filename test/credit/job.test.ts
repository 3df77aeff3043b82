import { describe, expect, it } from 'vitest';
import { creditJobId } from '../../src/credit/job.ts';

describe('the id of a job', () => {
  const job = { rainId: '12', shard: 3, from: 100, entries: ['a', 'b'] };

  it('covers the range and its content, in characters that BullMQ accepts', () => {
    expect(creditJobId(job)).toMatch(/^12-3-100-102-[0-9a-f]{16}$/);
    expect(creditJobId(job)).toBe(creditJobId({ ...job }));
  });

  it('differs for other claims at the same position, as after a failover', () => {
    const ids = [
      ['a', 'b'],
      ['a', 'c'],
      ['ab', ''],
      ['', 'ab'],
      ['1:a', 'b'],
    ].map((entries) => creditJobId({ ...job, entries }));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('differs for a deliberate repetition', () => {
    expect(new Set([creditJobId(job), creditJobId(job, '1'), creditJobId(job, '2')]).size).toBe(3);
  });
});
