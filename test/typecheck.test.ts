import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** vitest strips types without looking at them, and vite does the same for the pages. The set-up has compiled src/ before any test runs. */
test.each(['test/tsconfig.json', 'client-demo/tsconfig.json', 'client-console/tsconfig.json'])('%s: every type agrees', (project) => {
  const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project, '--noEmit'], { cwd: ROOT, encoding: 'utf8' });
  expect(stdout).toBe('');
});
