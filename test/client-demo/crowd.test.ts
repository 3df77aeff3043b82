import { expect, test } from 'vitest';
import { Crowded, untilAdmitted } from '../../client-demo/src/crowd.ts';

/** Refused so often, then in. */
async function come(refusals: number, random: number) {
  const pauses: number[] = [];
  const told: boolean[] = [];
  let asked = 0;
  const found = await untilAdmitted(
    async () => {
      if (asked++ < refusals) throw new Crowded(2_000);
      return 'in';
    },
    { random: () => random, onCrowd: (waits) => told.push(waits), pause: async (ms) => void pauses.push(ms) },
  );
  return { found, pauses, told };
}

test('a page waits as long as the console says, and a random time more that grows', async () => {
  expect(await come(5, 0)).toEqual({
    found: 'in',
    pauses: [4_000, 6_000, 10_000, 12_000, 12_000],
    told: [true, true, true, true, true, false],
  });
  expect((await come(5, 0.999)).pauses.map((ms) => Math.round(ms / 1_000))).toEqual([6, 10, 18, 22, 22]);
  expect(await come(0, 0)).toEqual({ found: 'in', pauses: [], told: [false] });
});

test('another fault is thrown at once', async () => {
  await expect(
    untilAdmitted(() => Promise.reject(new Error('away')), { random: () => 0, onCrowd: () => {} }),
  ).rejects.toThrow('away');
});
