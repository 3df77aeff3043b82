import { expect, test } from 'vitest';
import { createBuildLease } from '../../src/store/buildLease.ts';
import { eventually } from '../support/eventually.ts';
import { openRedis } from '../support/rain.ts';

const { redis } = await openRedis();

test('one builds at a time; when it is done another one may', async () => {
  const [one, two] = [createBuildLease(redis, 'one'), createBuildLease(redis, 'two')];
  expect([await one.take('work'), await two.take('work'), await one.take('work')]).toEqual([true, false, true]);
  await two.release('work');
  expect(await two.take('work'), 'only its owner releases it').toBe(false);
  await one.release('work');
  expect(await two.take('work')).toBe(true);
  expect(await redis.pttl('work'), 'who dies holds it for seconds').toBeGreaterThan(0);
});

test('[R10] a lease that somebody holds for ever keeps nobody from building for long', async () => {
  await redis.set('taken', 'nobody', 'PX', 3_600_000);
  const lease = createBuildLease(redis, 'one', 30);
  expect(await lease.take('taken')).toBe(false);
  await eventually(async () => expect(await lease.take('taken')).toBe(true));
});
