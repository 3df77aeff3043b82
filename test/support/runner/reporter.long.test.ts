import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporaryFolder.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Runs vitest on these files; gives its exit code and the lines that have the form of the summary. */
async function summaryOf(files: Record<string, string>): Promise<{ code: number; summary: string[] }> {
  const folder = temporaryFolder();
  symlinkSync(path('../../../node_modules'), join(folder, 'node_modules'));
  for (const [name, body] of Object.entries(files)) {
    writeFileSync(join(folder, name), `import { test, expect, describe, beforeAll } from 'vitest';\n${body}`);
  }
  const words = [
    path('../../../node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter',
    path('reporter.ts'),
    '--maxWorkers',
    '1',
  ];
  const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) => {
    execFile(process.execPath, words, { cwd: folder }, (error, printed) =>
      resolve({ code: error ? Number(error.code) : 0, stdout: printed }),
    );
  });
  return { code, summary: stdout.split('\n').filter((line) => /^\d+ passed, \d+ failed/.test(line)) };
}

/** Each runs a vitest of its own, side by side. */
const eachHas = async (cases: [files: Record<string, string>, code: number, summary: unknown][]): Promise<void> => {
  const told = await Promise.all(cases.map(([files]) => summaryOf(files)));
  expect(told).toEqual(cases.map(([, code, summary]) => ({ code, summary: [summary] })));
};
const FAILED = expect.stringMatching(/^0 passed, [1-9]\d* failed/) as string;

test('the summary has the true counts, alone on a line', async () => {
  await eachHas([
    [
      {
        'a.test.ts':
          "test('a', () => {}); test('b', () => expect(1).toBe(2)); test.skip('c', () => {}); test.todo('d');",
        'b.test.ts': "describe('e', () => { test('f', () => {}); });",
      },
      1,
      '2 passed, 1 failed, 2 skipped',
    ],
    [{ 'a.test.ts': "test('a', () => {});" }, 0, '1 passed, 0 failed'],
  ]);
});

test('a fault outside of a test is a failure: a file that does not load, a hook, an uncaught error', async () => {
  await eachHas([
    [
      { 'a.test.ts': "throw new Error('while loading');", 'b.test.ts': "test('b', () => {});" },
      1,
      '1 passed, 1 failed',
    ],
    [
      { 'a.test.ts': "describe('s', () => { beforeAll(() => { throw new Error('hook'); }); test('a', () => {}); });" },
      1,
      FAILED,
    ],
    [
      {
        'a.test.ts':
          "test('a', () => { setTimeout(() => { throw new Error('late'); }); return new Promise((done) => setTimeout(done, 50)); });",
      },
      1,
      '1 passed, 1 failed',
    ],
    [{ 'a.test.ts': "test('a', () => process.exit(0));" }, 1, FAILED],
  ]);
});
