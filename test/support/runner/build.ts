import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Child processes run the compiled output, so it has to be of today, also when vitest is called by hand. */
export default function build(): void {
  if (process.env['RAIN_BUILT']) return;
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  // tsc writes what it understood in spite of errors; a test of an untouched room need not wait for another's repair.
  const tsc = failureOf('the build', run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'));
  if (tsc) process.stderr.write(`${tsc}\ntests run on the files that are there\n`);
  // If it fails, the earlier bundle stays.
  const bundle = failureOf('the bundle', run('src/bin/setup/bundle.mjs'));
  if (bundle) process.stderr.write(`${bundle}\ntests run on the earlier bundle\n`);
}

/** Tells how a step ended that has failed: it did not start, a signal killed it, or it found errors. */
export function failureOf(
  step: string,
  { error, signal, status, stdout, stderr }: SpawnSyncReturns<string>,
): string | undefined {
  if (status === 0) return undefined;
  const printed = [stdout, stderr].filter(Boolean).join('').trimEnd();
  // Output of a program that grew too long ends it with an error and a signal; the error says more.
  const how = error
    ? `could not be run: ${error.message}`
    : signal
      ? `was killed by ${signal}`
      : `has errors (exit code ${status})`;
  return `${step} ${how}${printed ? `:\n${printed}` : ''}`;
}
