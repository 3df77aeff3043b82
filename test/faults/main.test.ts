import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { figureTable, table } from './row.ts';

const MAIN = fileURLToPath(new URL('main.mjs', import.meta.url));

test('[R12] npm run faults refuses what it does not understand, and runs nothing', () => {
  const refusal = (...words: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' });
    return [status, stderr.trim()];
  };
  expect(refusal('--runs', '0')).toEqual([2, 'faults: --runs 0: expected a whole number from 1 to 1000']);
  expect(refusal('--runs', '2.5')).toEqual([2, 'faults: --runs 2.5: expected a whole number from 1 to 1000']);
  expect(refusal('--seed', 'a b')).toEqual([2, 'faults: --seed a b: expected up to 64 letters, digits, _ or -']);
  expect(refusal('--only', '')).toEqual([2, 'faults: --only: expected a part of a name as the table has it']);
  expect(refusal('--often')).toEqual([
    2,
    "faults: Unknown option '--often'; expected --runs N, --seed S and --only name",
  ]);
  expect(refusal('gateway')[0]).toBe(2);
});

test('the table has a line per fault and their sum', () => {
  expect(
    table([
      { fault: 'fire', runs: 2, acknowledged: 1_200, lost: 0, doubled: 0, recoverySeconds: 1.25 },
      { fault: 'flood', runs: 1, acknowledged: 10, lost: 1, doubled: 2, recoverySeconds: 20 },
    ]),
  ).toBe(
    [
      '| fault | runs | wins acknowledged | lost | doubled | longest recovery, s |',
      '|:------|-----:|------------------:|-----:|--------:|--------------------:|',
      '| fire  |    2 |             1,200 |    0 |       0 |                 1.3 |',
      '| flood |    1 |                10 |    1 |       2 |                20.0 |',
      '| all   |    3 |             1,210 |    1 |       2 |                20.0 |',
    ].join('\n'),
  );
});

test('what only one fault shows is a second table: the least, the median and the most of its runs', () => {
  const row = { runs: 3, acknowledged: 3, lost: 0, doubled: 0, recoverySeconds: 1 };
  expect(
    figureTable([
      { fault: 'fire', ...row, figures: { 'smoke, ms': [2_500, 30, 400], rooms: [1, 1, 2] } },
      { fault: 'flood', ...row },
    ]),
  ).toBe(
    [
      '| of each run     | least | median |  most |',
      '|:----------------|------:|-------:|------:|',
      '| fire: smoke, ms |    30 |    400 | 2,500 |',
      '| fire: rooms     |     1 |      1 |     2 |',
    ].join('\n'),
  );
  expect(figureTable([{ fault: 'flood', ...row }])).toBe('');
});
