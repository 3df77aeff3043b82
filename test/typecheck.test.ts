import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The compiler's last findings, so that it looks only at files that have changed since. */
const SEEN = 'node_modules/.cache/rain-typecheck';
/** Several look at much of the same twice, and the folders are checked side by side anyway. */
const ONE_CHECKER = ['--checkers', '1'];

/**
 * vitest strips types without looking at them, and vite does the same for the pages. The set-up has compiled src/
 * before any test runs.
 */
test.concurrent.each(['test', 'client-demo', 'client-console'])(
  '%s/tsconfig.json: every type agrees',
  { timeout: 180_000 },
  async (folder) => {
    const said = await outputOf([
      'node_modules/typescript/bin/tsc',
      '-p',
      `${folder}/tsconfig.json`,
      '--noEmit',
      '--incremental',
      '--tsBuildInfoFile',
      `${SEEN}/${folder}.tsbuildinfo`,
      ...ONE_CHECKER,
    ]);
    expect(said).toBe('');
  },
);

/** Runs a program of ours; gives all that it printed if it fails, else its output. */
function outputOf(words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: ROOT }, (error, stdout, stderr) =>
      resolve(error ? `${stdout}${stderr}` || error.message : stdout),
    );
  });
}
