import { describe, expect, it } from 'vitest';
import { isRangeJobId } from '../../src/credit/job.ts';
import { orderJobId, rangeOfOrderJobId } from '../../src/orders/job.ts';

describe('the id of an order job', () => {
  const job = { saleId: 'a-1-2_b', from: 100, entries: ['x', 'y'] };

  it('covers the range and its content, and tells the range', () => {
    expect(orderJobId(job)).toMatch(/^a-1-2_b-100-102-[0-9a-f]{16}$/);
    expect(
      new Set([
        orderJobId(job),
        orderJobId({ ...job, entries: ['x', 'z'] }),
        orderJobId(job, '1'),
        orderJobId(job, '2'),
      ]).size,
    ).toBe(4);
    for (const again of [undefined, '1', '8f14e45f-ceea-4671-9e1e-0a1b2c3d4e5f', 'abcd1234-17']) {
      expect(rangeOfOrderJobId(orderJobId(job, again))).toEqual({ saleId: 'a-1-2_b', from: 100, to: 102 });
      // The same for a sale of a campaign.
      expect(rangeOfOrderJobId(orderJobId({ ...job, saleId: 'autumn.12' }, again))).toEqual({
        saleId: 'autumn.12',
        from: 100,
        to: 102,
      });
    }
    expect(rangeOfOrderJobId('unreadable-job')).toBeUndefined();
  });

  it('is one of ours for whoever puts a queue right, as a key of the queue is not', () => {
    expect(['autumn', 'a-1', 'autumn.3'].every((saleId) => isRangeJobId(orderJobId({ ...job, saleId })))).toBe(true);
    expect(['meta', 'wait', 'stalled-check', 'autumn-0-1'].some(isRangeJobId)).toBe(false);
  });
});
