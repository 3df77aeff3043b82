import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const FILE = 'test/lastFullRun.json';
/** Changes of these reach every test. */
const OF_ALL = new Set(['package-lock.json', 'tsconfig.json']);

const lastFullRun = z.object({
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  /** The day, `YYYY-MM-DD`. */
  date: z.string(),
  minutes: z.number(),
  counts: z.object({ passed: z.number(), failed: z.number(), skipped: z.number() }),
});

type LastFullRun = z.infer<typeof lastFullRun>;

/** Files that changed since the last run of the whole long part; `all`: why every file counts as changed. */
export type Changes = { since: LastFullRun; files: ReadonlySet<string> } | { all: string };

/** Changes of the working tree count, and files that are not in git yet. */
export function changesSinceLastFullRun(root: string): Changes {
  const path = join(root, FILE);
  if (!existsSync(path)) return { all: `${FILE} is missing` };
  const since = lastFullRun.parse(JSON.parse(readFileSync(path, 'utf8')));
  const changed = git(root, 'diff', '--name-only', '--no-renames', since.commit, '--');
  const added = git(root, 'ls-files', '--others', '--exclude-standard');
  if (changed === undefined || added === undefined)
    return { all: `this clone does not know commit ${since.commit.slice(0, 8)} of the last full run` };
  const files = new Set(`${changed}${added}`.split('\n').filter((name) => name !== '' && name !== FILE));
  const ofAll = [...files].find((name) => OF_ALL.has(name));
  return ofAll === undefined ? { since, files } : { all: `${ofAll} has changed` };
}

/** The commit that is checked out; empty outside of git. */
export const currentCommit = (root: string): string => git(root, 'rev-parse', 'HEAD')?.trim() ?? '';

/** Writes down a full run that has passed. Returns why it was not written: the tree has changes that no commit has. */
export function writeLastFullRun(root: string, run: Omit<LastFullRun, 'commit' | 'date'>): string | undefined {
  const dirty = git(root, 'status', '--porcelain', '--', '.', `:!${FILE}`);
  if (dirty === undefined) return 'this is no clone of the repository';
  if (dirty !== '') return 'the tree has changes that are not committed';
  const record = { commit: currentCommit(root), date: new Date().toISOString().slice(0, 10), ...run };
  writeFileSync(join(root, FILE), `${JSON.stringify(record, null, 2)}\n`);
  return undefined;
}

/** The output, or undefined if git fails or is missing. */
function git(root: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', ['-c', 'core.quotePath=false', ...args], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}
