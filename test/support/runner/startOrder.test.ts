import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readProjects } from './projects.ts';
import { KNOWN_TO_BE_SLOW, secondsOf, startOrder, type Timed } from './startOrder.ts';

const { files, opensBrowser } = readProjects(fileURLToPath(new URL('../../..', import.meta.url)));
const LONG: Timed[] = files
  .filter((path) => path.endsWith('.long.test.ts'))
  .map((path) => ({ path, opensBrowser: opensBrowser(path) }));
const seconds = (some: readonly Timed[]) => some.reduce((sum, file) => sum + secondsOf(file), 0);

test('every file that is known to be slow is there', () => {
  expect(KNOWN_TO_BE_SLOW.filter((path) => !files.includes(path))).toEqual([]);
});

test('slow files start early, so that no worker is left alone with one', () => {
  const order = startOrder(LONG);
  expect([...order].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual(LONG);
  expect(secondsOf(order[0]!)).toBeGreaterThan(100);
  expect(Math.max(...order.slice(-10).map(secondsOf)), 'of the last ten').toBeLessThanOrEqual(20);
});

test('at every moment some draw pages and some wait', () => {
  const order = startOrder(LONG);
  const share = seconds(LONG.filter((file) => file.opensBrowser)) / seconds(LONG);
  for (const quarter of [0, 1, 2, 3]) {
    const some = order.slice((quarter * order.length) / 4, ((quarter + 1) * order.length) / 4);
    expect(seconds(some.filter((file) => file.opensBrowser)) / seconds(some), `quarter ${quarter + 1}`).toBeGreaterThan(
      share / 2,
    );
  }
});
