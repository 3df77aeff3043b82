import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporaryFolder.ts';
import { currentCommit } from './lastFullRun.ts';
import { repository } from './repository.ts';

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

test('the whole long part writes itself down when it has passed, and no part of it does', async () => {
  const { folder } = repository({
    '.gitignore': 'node_modules\n',
    'vitest.config.mjs': `export default { test: { reporters: [${JSON.stringify(path('reporter.ts'))}] } };`,
    'test/a.long.test.ts': "import { test } from 'vitest';\ntest('a', () => {});\ntest.skip('b', () => {});",
  });
  symlinkSync(path('../../../node_modules'), join(folder, 'node_modules'));
  const run = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, ['--import', 'tsx', path('main.ts'), ...args], { cwd: folder }))
      .stdout;
  await run('test:long', 'test/a');
  expect(await run('test:long', '--minutes', '1')).toMatch(
    /\nlong part: 1 of 1 files[^]*\n1 passed, 0 failed, 1 skipped\n$/,
  );
  expect(existsSync(join(folder, 'test/lastFullRun.json'))).toBe(false);
  expect(await run('test:long')).toMatch(/\n1 passed, 0 failed, 1 skipped\n$/);
  expect(JSON.parse(readFileSync(join(folder, 'test/lastFullRun.json'), 'utf8'))).toMatchObject({
    commit: currentCommit(folder),
    counts: { passed: 1, failed: 0, skipped: 1 },
  });
});
