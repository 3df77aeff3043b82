import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chooseLong, CORE, secondsTogether, type LongFile } from './longChoice.ts';
import { readProjects } from './projects.ts';
import { secondsOf } from './startOrder.ts';

const { files, opensBrowser, projectOf } = readProjects(fileURLToPath(new URL('../../..', import.meta.url)));
const LONG: LongFile[] = files
  .filter((path) => path.endsWith('.long.test.ts'))
  .map((path) => ({
    path,
    seconds: secondsOf({ path, opensBrowser: opensBrowser(path) }),
    alone: projectOf(path) === 'alone',
    steps: undefined,
  }));
const paths = (some: readonly LongFile[]) => some.map(({ path }) => path);

/** The long part after changes that these files reach. */
const after = (steps: Record<string, number>): LongFile[] => LONG.map((file) => ({ ...file, steps: steps[file.path] }));

test('the core is there, and takes at most 12 minutes', () => {
  const core = LONG.filter(({ path }) => CORE.includes(path));
  expect(paths(core).sort()).toEqual([...CORE].sort());
  expect(secondsTogether(core)).toBeLessThanOrEqual(12 * 60);
});

test('the core runs without any time, and nothing else does', () => {
  const { core, changed, byTurns, left } = chooseLong(LONG, { budgetSeconds: 0, commit: 'a' });
  expect([core.length, changed, byTurns]).toEqual([CORE.length, [], []]);
  expect(left.length).toBe(LONG.length - CORE.length);
});

test('files that reach a change come first, the nearest first, and the time is never exceeded', () => {
  const near = { 'test/examples/go.long.test.ts': 1, 'test/browser/remote.long.test.ts': 2 };
  const some = chooseLong(after(near), { budgetSeconds: 20 * 60, commit: 'a' });
  expect(paths(some.changed)).toEqual(Object.keys(near));
  expect(some.byTurns.length).toBeGreaterThan(0);
  const all = chooseLong(after(Object.fromEntries(LONG.map(({ path }, i) => [path, i % 7]))), {
    budgetSeconds: 20 * 60,
    commit: 'a',
  });
  expect(all.byTurns).toEqual([]);
  expect(all.changed.map(({ steps }) => steps)).toEqual(all.changed.map(({ steps }) => steps!).sort((a, b) => a - b));
  for (const { seconds, core, changed, byTurns, left } of [some, all]) {
    expect(seconds).toBeLessThanOrEqual(20 * 60);
    expect(paths([...core, ...changed, ...byTurns, ...left]).sort(), 'each is named once').toEqual(paths(LONG).sort());
  }
});

test('every file has its turn within some commits, and the same commit chooses the same', () => {
  const seen = new Set<string>();
  const choose = (commit: string) => paths(chooseLong(LONG, { budgetSeconds: 20 * 60, commit }).byTurns);
  for (let i = 0; i < 60; i++) for (const path of choose(`commit ${i}`)) seen.add(path);
  const others = LONG.filter(({ path }) => !CORE.includes(path) && !path.startsWith('test/deploy/'));
  expect(paths(others).filter((path) => !seen.has(path))).toEqual([]);
  expect(
    [...seen].filter((path) => path.startsWith('test/deploy/')),
    'deploy/ has not changed',
  ).toEqual([]);
  expect(choose('a')).toEqual(choose('a'));
});

test('files run two at a time, and those alone after them', () => {
  const file = (seconds: number, alone = false): LongFile => ({ path: '', seconds, alone, steps: undefined });
  expect(secondsTogether([file(10), file(10), file(6)])).toBe(13);
  expect(secondsTogether([file(30), file(2)])).toBe(30);
  expect(secondsTogether([file(30), file(2), file(5, true)])).toBe(35);
  expect(secondsTogether([])).toBe(0);
});
