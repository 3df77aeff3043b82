import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporaryFolder.ts';
import { afterRepeat, filesToRepeat, speaksOfMoney, type Failure, type RunRecord } from './runRecord.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Fails when it is run for the first time in a folder. */
const failsOnce = (title: string, message = 'too slow') =>
  `test('${title}', () => {
    if (!existsSync('${title}')) { writeFileSync('${title}', ''); throw new Error('${message}'); }
  });\n`;
const PASSES = "test('passes', () => {});\n";
const FAILS = "test('fails', () => expect(1).toBe(2));\n";

/** Runs the runner on these files, in an order of their own; gives its exit code and what it says of reruns. */
async function play(files: Record<string, string>, args: string[] = []): Promise<{ code: number; said: string[] }> {
  const folder = temporaryFolder();
  symlinkSync(path('../../../node_modules'), join(folder, 'node_modules'));
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { reporters: [${JSON.stringify(path('reporter.ts'))}], maxWorkers: 1 } };`,
  );
  for (const [name, body] of Object.entries(files))
    writeFileSync(
      join(folder, name),
      `import { test, expect } from 'vitest';\nimport { existsSync, writeFileSync } from 'node:fs';\n${body}`,
    );
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', path('main.ts'), 'test', ...args],
      { cwd: folder },
      (error, stdout) => {
        const said = stdout.trimEnd().split('\n');
        const last = said.at(-1)!;
        const before = said.slice(0, -1).filter((line) => /^flaky: |^\d+ passed|once more/.test(line));
        resolve({ code: error ? Number(error.code) : 0, said: [...before, last] });
      },
    );
  });
}

test('a file that fails runs once more; the last line is true and last', async () => {
  const [flaky, broken, final, option] = await Promise.all([
    play({ 'a.test.ts': failsOnce('slow start') + PASSES, 'b.test.ts': `${PASSES}test.skip('c', () => {});` }),
    play({ 'a.test.ts': failsOnce('slow start'), 'b.test.ts': FAILS + PASSES }),
    play({ 'a.test.ts': failsOnce('slow start'), 'b.test.ts': failsOnce('win', 'a win was paid twice') }),
    play({ 'a.test.ts': failsOnce('slow start') }, ['-t', 'slow']),
  ]);
  expect(flaky).toEqual({
    code: 0,
    said: [
      'failed, and runs once more, alone: a.test.ts',
      'flaky: a.test.ts slow start',
      '3 passed, 0 failed, 1 skipped',
    ],
  });
  expect(broken.code).toBe(1);
  expect(new Set(broken.said.slice(1)), 'what failed twice has failed').toEqual(
    new Set(['flaky: a.test.ts slow start', '2 passed, 1 failed']),
  );
  expect(final, 'one of money ends it').toEqual({ code: 1, said: ['0 passed, 2 failed'] });
  expect(option).toEqual({ code: 1, said: ['0 passed, 1 failed'] });
});

test('more than three files are no accident, nor is a run without tests', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const [four, none] = await Promise.all([
    play(Object.fromEntries(names.map((name) => [`${name}.test.ts`, failsOnce(name)]))),
    play({}),
  ]);
  expect(four).toEqual({ code: 1, said: ['0 passed, 4 failed'] });
  expect(none.code).toBe(1);
});

const failed = (title: string, message: string, file: string | undefined = 'a.test.ts'): Failure => ({
  file,
  title,
  messages: [message],
});

test('failures that speak of money or goods are known', () => {
  for (const text of [
    'alice was paid twice',
    'expected { lost: 1, doubled: 0 } to deeply equal { lost: 0, doubled: 0 }',
    '[R5] an interrupted job',
    '[R13] a shard that ran dry',
    'a false no',
    '3 orders were untold',
    'Credits are invented',
    'the balance is 12.21',
    'more units than the stock were sold',
    'u1 was told r:0:1, which is not in the claim log: never won',
  ]) {
    expect(speaksOfMoney(failed(text, '')), text).toBe(true);
    expect(speaksOfMoney(failed('a start', text)), text).toBe(true);
  }
  for (const text of [
    'Test timed out in 60000ms.',
    'expected 502 to be 200',
    '[R10] a queue is bounded',
    'a bell of a repaid',
  ])
    expect(speaksOfMoney(failed(text, '')), text).toBe(false);
});

test('an error that belongs to no file is final', () => {
  expect(
    filesToRepeat({ files: {}, failures: [failed('a', 'slow', undefined)].map((f) => ({ ...f, file: undefined })) }),
  ).toEqual([]);
  expect(filesToRepeat({ files: {}, failures: [failed('a', 'slow'), failed('b', 'slow')] })).toEqual(['a.test.ts']);
});

test('a file that the second run did not reach has failed still', () => {
  const first: RunRecord = { files: { 'a.test.ts': { passed: 1, skipped: 0 } }, failures: [failed('a', 'slow')] };
  expect(afterRepeat(first, { files: {}, failures: [] })).toEqual({ record: first, flaky: [] });
});
