import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from './temporaryFolder.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Runs vitest on these files; gives its exit code and the lines that have the form of the summary. */
function summaryOf(files: Record<string, string>): { code: number | null; summary: string[] } {
  const folder = temporaryFolder();
  symlinkSync(path('../../node_modules'), join(folder, 'node_modules'));
  for (const [name, body] of Object.entries(files)) {
    writeFileSync(join(folder, name), `import { test, expect, describe, beforeAll } from 'vitest';\n${body}`);
  }
  const run = spawnSync(process.execPath, [path('../../node_modules/vitest/vitest.mjs'), 'run', '--reporter', path('reporter.ts'), '--maxWorkers', '1'],
    { cwd: folder, encoding: 'utf8' });
  return { code: run.status, summary: run.stdout.split('\n').filter((line) => /^\d+ passed, \d+ failed/.test(line)) };
}

test('the summary has the true counts, alone on a line', () => {
  expect(summaryOf({
    'a.test.ts': "test('a', () => {}); test('b', () => expect(1).toBe(2)); test.skip('c', () => {}); test.todo('d');",
    'b.test.ts': "describe('e', () => { test('f', () => {}); });",
  })).toEqual({ code: 1, summary: ['2 passed, 1 failed, 2 skipped'] });
  expect(summaryOf({ 'a.test.ts': "test('a', () => {});" })).toEqual({ code: 0, summary: ['1 passed, 0 failed'] });
});

test('what fails outside a test is a failure: a file that does not load, a hook, an error nobody caught', () => {
  expect(summaryOf({ 'a.test.ts': "throw new Error('while loading');", 'b.test.ts': "test('b', () => {});" })).toEqual({ code: 1, summary: ['1 passed, 1 failed'] });
  expect(summaryOf({ 'a.test.ts': "describe('s', () => { beforeAll(() => { throw new Error('hook'); }); test('a', () => {}); });" }))
    .toMatchObject({ code: 1, summary: [expect.stringMatching(/^0 passed, [1-9]\d* failed/)] });
  expect(summaryOf({ 'a.test.ts': "test('a', () => { setTimeout(() => { throw new Error('late'); }); return new Promise((done) => setTimeout(done, 50)); });" }))
    .toEqual({ code: 1, summary: ['1 passed, 1 failed'] });
  expect(summaryOf({ 'a.test.ts': "test('a', () => process.exit(0));" })).toMatchObject({ code: 1, summary: [expect.stringMatching(/^0 passed, [1-9]\d* failed/)] });
});
