import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Child processes run the compiled output, so it has to be of today, also when vitest is called by hand. */
export default function build(): void {
  if (process.env['RAIN_BUILT']) return;
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'], {
    cwd: root,
    encoding: 'utf8',
  });
  // tsc writes what it understood in spite of errors; a test of an untouched room need not wait for another's repair.
  if (tsc.status !== 0)
    process.stderr.write(`the build has errors, tests run on what was built:\n${tsc.stdout}${tsc.stderr}\n`);
  // If it fails, the earlier bundle stays.
  const bundle = spawnSync(process.execPath, ['src/bin/setup/bundle.mjs'], { cwd: root, encoding: 'utf8' });
  if (bundle.status !== 0) process.stderr.write(`the bundle has errors:\n${bundle.stderr}`);
}
