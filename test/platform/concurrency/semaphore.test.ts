import { expect, test } from 'vitest';
import { createSemaphore } from '../../../src/platform/concurrency/semaphore.ts';

test('[R10] no more than so much is at work at once, in the order of arrival, and a failure gives its place back', async () => {
  const inSlot = createSemaphore(3);
  const begun: number[] = [];
  let [under, most] = [0, 0];
  const work = Array.from({ length: 20 }, (_, i) =>
    inSlot(async () => {
      begun.push(i);
      most = Math.max(most, ++under);
      await new Promise((resolve) => {
        setTimeout(resolve, i % 4);
      });
      under--;
      if (i % 5 === 0) throw new Error(`failed ${i}`);
      return i;
    }),
  );
  const ended = await Promise.allSettled(work);
  expect(most).toBe(3);
  expect(begun).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(ended.map((end, i) => (end.status === 'fulfilled' ? end.value : end.reason instanceof Error && -i))).toEqual(
    Array.from({ length: 20 }, (_, i) => (i % 5 === 0 ? -i : i)),
  );
});
