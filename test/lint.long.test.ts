import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

test(
  'the linter finds no mistake that only types show; all that it finds: npm run lint',
  { timeout: 180_000 },
  async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['node_modules/oxlint/bin/oxlint', '--type-aware', '--quiet'],
      { cwd: ROOT },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).toMatch(/Found 0 warnings and 0 errors/);
  },
);
