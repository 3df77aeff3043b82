import { expect, test } from 'vitest';
import { createLifecycle } from '../../../src/platform/process/lifecycle.ts';

test('what was opened last is closed first, each part once, however often it is closed', async () => {
  const closed: string[] = [];
  const lifecycle = createLifecycle();
  for (const name of ['first', 'second'])
    lifecycle.onClose(name, async () => {
      await Promise.resolve();
      closed.push(name);
    });
  await Promise.all([lifecycle.close(), lifecycle.close()]);
  await lifecycle.close();
  expect(closed).toEqual(['second', 'first']);
});

test('a part that cannot be opened closes those before it, and its own error is thrown', async () => {
  const closed: string[] = [];
  const lifecycle = createLifecycle();
  await expect(
    lifecycle.opening(async () => {
      lifecycle.onClose('redis', () => closed.push('redis'));
      throw new Error('the port is taken');
    }),
  ).rejects.toThrow('the port is taken');
  expect(closed).toEqual(['redis']);
});

test('a part that fails to close is reported and keeps no other open', async () => {
  const [closed, reports]: [string[], string[]] = [[], []];
  const lifecycle = createLifecycle((sentence) => reports.push(sentence));
  lifecycle.onClose('redis', () => closed.push('redis'));
  lifecycle.onClose('queue', () => Promise.reject(new Error('it is stuck')));
  await lifecycle.close();
  expect([closed, reports]).toEqual([['redis'], ['closing the queue failed: it is stuck']]);
});

test('a part that is opened while the others close is closed too, and so is one that comes after the end', async () => {
  const closed: string[] = [];
  const lifecycle = createLifecycle();
  lifecycle.onClose('worker', async () => {
    lifecycle.onClose('console', () => closed.push('console'));
  });
  await lifecycle.close();
  lifecycle.onClose('gateway', () => closed.push('gateway'));
  expect(closed).toEqual(['console', 'gateway']);
});

test('[R10] each part receives the time that the parts before it have left', async () => {
  const told: number[] = [];
  const lifecycle = createLifecycle();
  lifecycle.onClose('first', (leftMs) => told.push(leftMs));
  lifecycle.onClose('second', async (leftMs) => {
    told.push(leftMs);
    const end = performance.now() + 5;
    while (performance.now() < end);
  });
  await lifecycle.close(4);
  expect(told[0]).toBeLessThanOrEqual(4);
  expect(told[1]).toBe(0);
});
