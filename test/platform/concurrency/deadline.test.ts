import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { deadlineIn } from '../../../src/platform/concurrency/deadline.ts';

describe('[R10] a deadline', () => {
  test('gives what is done in time, throws what fails in time, and waits for nothing that is late', async () => {
    const deadline = deadlineIn(100);
    expect(await deadline.within(Promise.resolve('done'))).toBe('done');
    await expect(deadline.within(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    const since = performance.now();
    expect(await deadline.within(new Promise(() => {}))).toBe('late');
    expect(performance.now() - since).toBeLessThan(1_000);
    expect(deadline.leftMs()).toBe(0);
  });

  test('is not over early because this process was busy when it began to wait', async () => {
    for (let i = 0; i < 5; i++) {
      const busyUntil = performance.now() + 30;
      while (performance.now() < busyUntil);
      const deadline = deadlineIn(20);
      expect(await deadline.within(new Promise(() => {}))).toBe('late');
      expect(deadline.leftMs()).toBe(0);
    }
  });

  test('is shared: the second wait gets the time that the first has left', async () => {
    const deadline = deadlineIn(500);
    await deadline.within(sleep(450));
    // As long as the whole of it, from now on: on this machine, at this hour.
    const whole = sleep(500, 'another deadline');
    expect(await Promise.race([deadline.within(sleep(5_000, 'done', { ref: false })), whole])).toBe('late');
    await whole;
  });

  test('waits until something is so, and no longer than it may', async () => {
    let looks = 0;
    await deadlineIn(5_000).until(() => ++looks === 3);
    expect(looks).toBe(3);
    await deadlineIn(30).until(() => false);
  });
});
