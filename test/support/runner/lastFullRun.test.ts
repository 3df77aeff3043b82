import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporaryFolder.ts';
import { readImportGraph } from './importGraph.ts';
import { changesSinceLastFullRun, currentCommit, writeLastFullRun } from './lastFullRun.ts';

const RUN = { minutes: 28, counts: { passed: 3, failed: 0, skipped: 1 } };

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function repository(files: Record<string, string>): { folder: string; git(...args: string[]): void } {
  const folder = temporaryFolder();
  const git = (...args: string[]) =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      stdio: 'ignore',
    });
  write(folder, { 'test/.keep': '', ...files });
  git('init');
  git('add', '.');
  git('commit', '-m', 'one');
  return { folder, git };
}

test('a full run that passed is written down, and changes since then are known', () => {
  const { folder, git } = repository({ 'a.ts': '1', 'b.ts': '1', 'c.ts': '1' });
  expect(changesSinceLastFullRun(folder)).toEqual({ all: 'test/lastFullRun.json is missing' });
  expect(writeLastFullRun(folder, RUN)).toBeUndefined();
  expect(changesSinceLastFullRun(folder)).toEqual({
    since: { commit: currentCommit(folder), date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string, ...RUN },
    files: new Set(),
  });
  write(folder, { 'a.ts': '2', 'ü/new.ts': '' });
  rmSync(join(folder, 'b.ts'));
  expect(writeLastFullRun(folder, RUN)).toBe('the tree has changes that are not committed');
  git('add', 'a.ts');
  git('commit', '-m', 'two');
  expect(changesSinceLastFullRun(folder)).toMatchObject({ files: new Set(['a.ts', 'b.ts', 'ü/new.ts']) });
  write(folder, { 'package-lock.json': '{}' });
  expect(changesSinceLastFullRun(folder)).toEqual({ all: 'package-lock.json has changed' });
});

test('a shallow clone, which does not know the commit, takes everything as changed', () => {
  const { folder, git } = repository({ 'a.ts': '1' });
  writeLastFullRun(folder, RUN);
  git('add', '.');
  git('commit', '-m', 'two');
  const clone = join(temporaryFolder(), 'clone');
  git('clone', '--depth', '1', `file://${folder}`, clone);
  expect(changesSinceLastFullRun(clone)).toEqual({
    all: expect.stringMatching(/^this clone does not know commit [0-9a-f]{8} /) as string,
  });
  const bare = temporaryFolder();
  expect([currentCommit(bare), writeLastFullRun(bare, RUN)]).toEqual(['', 'this is no clone of the repository']);
});

test('the whole long part writes itself down when it has passed, and no part of it does', async () => {
  const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
  const { folder } = repository({
    '.gitignore': 'node_modules\n',
    'vitest.config.mjs': `export default { test: { reporters: [${JSON.stringify(path('reporter.ts'))}] } };`,
    'test/a.long.test.ts': "import { test } from 'vitest';\ntest('a', () => {});\ntest.skip('b', () => {});",
  });
  symlinkSync(path('../../../node_modules'), join(folder, 'node_modules'));
  const play = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, ['--import', 'tsx', path('main.ts'), ...args], { cwd: folder }))
      .stdout;
  await play('test:long', 'test/a');
  expect(await play('test:long', '--minutes', '1')).toMatch(
    /\nlong part: 1 of 1 files[^]*\n1 passed, 0 failed, 1 skipped\n$/,
  );
  expect(existsSync(join(folder, 'test/lastFullRun.json'))).toBe(false);
  expect(await play('test:long')).toMatch(/\n1 passed, 0 failed, 1 skipped\n$/);
  expect(JSON.parse(readFileSync(join(folder, 'test/lastFullRun.json'), 'utf8'))).toMatchObject({
    commit: currentCommit(folder),
    counts: { passed: 1, failed: 0, skipped: 1 },
  });
});

test('a file reaches what it imports, the folders that it reads, and the programs that it starts', () => {
  const folder = temporaryFolder();
  write(folder, {
    'test/a.test.ts': "import { b } from './b.ts';\nimport type { T } from '../src/types.ts';",
    'test/b.ts': "const rain = new URL('../dist/bin/rain.js', import.meta.url);",
    'src/types.ts': '',
    'src/bin/rain.ts': "await import('../store/scripts.ts');",
    'src/store/scripts.ts': "const FOLDER = new URL('lua/', ROOT);",
    'lua/grab.lua': '',
    'lua/lease.lua': '',
    'prisma/a.sql': '',
  });
  const steps = readImportGraph(folder, { programs: true });
  const imported = readImportGraph(folder, { programs: false });
  const from = (file: string) => steps('test/a.test.ts', new Set([file]));
  expect(['test/a.test.ts', 'src/types.ts', 'src/bin/rain.ts', 'lua/grab.lua', 'prisma/a.sql'].map(from)).toEqual([
    0,
    1,
    2,
    4,
    undefined,
  ]);
  expect(steps('test/a.test.ts', new Set(['lua/lease.lua', 'src/types.ts'])), 'the nearest').toBe(1);
  expect(imported('test/a.test.ts', new Set(['src/bin/rain.ts']))).toBeUndefined();
});
