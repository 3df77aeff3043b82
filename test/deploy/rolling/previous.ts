import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { STEPS } from '../../../src/bin/setup/build.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Before the first release: what ran when upgrades began to be tried. */
const FIRST = 'a9673cab';
const SOURCES = ['src', 'lua', 'prisma', 'prisma.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json'];

const git = (...args: string[]): string | undefined => {
  try {
    return execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
};

/**
 * The version that an upgrade comes from: `RAIN_PREVIOUS` (any commit), the last release before this commit, or the
 * first that was tried.
 */
export function findPrevious(): { commit: string } | { missing: string } {
  const wanted =
    process.env['RAIN_PREVIOUS'] ?? git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^') ?? FIRST;
  const commit = git('rev-parse', '--verify', '--quiet', `${wanted}^{commit}`);
  return commit === undefined
    ? { missing: `no ${wanted} in the history of git: fetch it all (git fetch --unshallow)` }
    : { commit };
}

/**
 * Builds the servers of that commit, with the packages of this one, in half a minute. Its types are not checked: its
 * console may import a package that this version no longer has, and no console is started here.
 * @returns its `rain.js`
 */
export async function buildPrevious(commit: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, 'sources.tar');
  execFileSync('git', ['-C', ROOT, 'archive', '--output', archive, commit, ...SOURCES]);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const step of STEPS.filter(({ name }) => name === 'prisma' || name === 'tsc')) {
    const command = step.name === 'tsc' ? [...step.command, '--noCheck'] : step.command;
    await promisify(execFile)(process.execPath, command, {
      cwd: folder,
      env: { ...process.env, ...('env' in step && step.env) },
    });
  }
  return join(folder, 'dist/bin/rain.js');
}
