import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { packClient } from '../../scripts/client/packClient.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** At the head of a test file: the client's tarball, and projects that use it. */
export async function openPackedClient() {
  const home = mkdtempSync(join(tmpdir(), 'rain-packed-'));
  afterAll(() => rmSync(home, { recursive: true }));
  const { file, bytes } = await packClient(home);
  return {
    bytes,
    /** A new project with the package in it, as npm installs it, and with these packages of ours. */
    async project(files: Readonly<Record<string, string>>, others: readonly string[] = []): Promise<string> {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'package.json'), '{ "private": true }');
      for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
      await promisify(execFile)('npm', ['install', '--offline', '--no-audit', '--no-fund', file], { cwd: folder });
      for (const name of others) {
        mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
        symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
      }
      return folder;
    },
  };
}

/** @returns TypeScript's complaints in this project */
export async function complaintsOf(folder: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch(
    (fault: { stdout: string }) => fault,
  );
  return stdout;
}
