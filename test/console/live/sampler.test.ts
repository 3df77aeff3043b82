import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveSample } from '../../../src/console/contract/live.ts';
import { startSampler } from '../../../src/console/live/sampler.ts';
import { eventually } from '../../support/eventually.ts';
import { openQueueContext, type TestQueueContext } from '../../support/queueContext.ts';

let context: TestQueueContext;
beforeAll(async () => {
  context = await openQueueContext();
});
afterAll(() => context?.stop());

test('a sample does not contradict itself when an audit ends while it is taken', async () => {
  await context.wonRain('midway', 2);
  const samples: LiveSample[] = [];
  let looks = 0;
  const hold = { begins: false, holds: false, release: () => {} };
  const redis = Object.create(context.redis, {
    scard: {
      value: async (key: string) => {
        const count = await context.redis.scard(key);
        if (hold.begins)
          await new Promise<void>((resolve) => Object.assign(hold, { begins: false, holds: true, release: resolve }));
        return count;
      },
    },
  }) as typeof context.redis;
  const ledger = Object.create(context.ledger, {
    rain: {
      value: (id: string) => {
        looks++;
        return context.ledger.rain(id);
      },
    },
  }) as typeof context.ledger;
  const faults: unknown[] = [];
  const pace = { sampleMs: 20, pauseFactor: 1, pauseMsMin: 1, recheckMs: 1_000 };
  const sampler = startSampler(
    { ...context, redis, ledger },
    'midway',
    pace,
    (fault) => faults.push(fault),
    (sample) => samples.push(sample),
  );
  await eventually(() => samples.at(-1)?.equation?.pending === '2.00');
  hold.begins = true;
  await eventually(() => hold.holds);
  await context.credit();
  const [before, looksBefore] = [samples.length, looks];
  // Only audits look while the sample is held; when the third begins, the second is over, and has seen the credits.
  await eventually(() => looks >= looksBefore + 3);
  hold.release();
  await eventually(() => samples.length > before);
  expect(samples[before]).toMatchObject({ credited: 0, equation: { credited: '0.00', pending: '2.00' } });
  await eventually(() => samples.at(-1)!.credited === 2);
  expect(samples.at(-1)).toMatchObject({ creditLagMs: 0 });
  await sampler.close();
  expect(faults).toEqual([]);
});
