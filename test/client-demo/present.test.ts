import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Present } from '../../client-demo/src/hall/present.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('who has come is asked for while people come; a failed answer keeps the count', async () => {
  const answers = [3, 5, 'failed', 8] as const;
  let asked = 0;
  const present = new Present(
    () => 'a token',
    async () => {
      const answer = answers[asked++ % answers.length]!;
      if (answer === 'failed') throw new Error('no answer');
      return { phones: answer, names: ['Anna'] };
    },
  );
  const counts: unknown[] = [];
  present.follow(true);
  for (let i = 0; i < 4; i++) {
    present.follow(true);
    await vi.advanceTimersByTimeAsync(i === 0 ? 0 : 2_000);
    counts.push(present.known?.phones);
  }
  expect(counts).toEqual([3, 5, 5, 8]);
  present.follow(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([present.known?.phones, asked]).toEqual([undefined, 4]);
});

test('where nobody is told, it asks once', async () => {
  let asked = 0;
  const present = new Present(
    () => 'a token',
    async () => {
      asked++;
      return undefined;
    },
  );
  present.follow(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([present.known?.phones, asked]).toEqual([undefined, 1]);
});
