import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../temporaryFolder.ts';

/** Writes these files, with the folders that they need. */
export function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** A repository in a temporary folder, with one commit of these files. */
export function repository(files: Record<string, string>): { folder: string; git(...args: string[]): void } {
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
