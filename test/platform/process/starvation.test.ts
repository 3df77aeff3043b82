import { expect, onTestFinished, test } from 'vitest';
import { isStarved, watchProcessor } from '../../../src/platform/process/starvation.ts';
import { eventually } from '../../support/eventually.ts';
import { listeningLog } from '../../support/log.ts';

test.each<[string, number, number, boolean]>([
  ['on time', 1_020, 60, false],
  ['a little late beside others', 2_500, 100, false],
  ['late, and others had the processor', 3_500, 100, true],
  ['late because of its own work', 3_500, 3_300, false],
  ['late with several threads at work', 3_500, 6_000, false],
])('a process that is %s', (_, elapsedMs, usedMs, starved) => {
  expect(isStarved({ elapsedMs, usedMs })).toBe(starved);
});

test('a process that was kept from working says so, with the figures', async () => {
  const { log, heard } = listeningLog();
  const watched = watchProcessor(log, { beatMs: 50, usedMs: () => 1_000 });
  onTestFinished(() => watched.close());
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  await eventually(() => heard.length > 0);
  expect(heard).toMatchObject([{ level: 'warn', elapsedMs: expect.any(Number) as number, usedMs: 0 }]);
});
