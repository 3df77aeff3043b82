import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporaryFolder.ts';
import { readImportGraph } from './importGraph.ts';
import { changesSinceLastFullRun, currentCommit, writeLastFullRun } from './lastFullRun.ts';
import { repository, write } from './repository.ts';

const RUN = { minutes: 28, counts: { passed: 3, failed: 0, skipped: 1 } };

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
