import { join } from 'node:path';
import { run, ROOT, say } from './step.mjs';

/** Programs of the check and their words. Rules that need types run in the long part (`test/lint.long.test.ts`). */
const PROGRAMS = [
  ['oxfmt/bin/oxfmt', '--check'],
  ['oxlint/bin/oxlint'],
  ['knip/bin/knip.js', '--no-progress', '--no-config-hints'],
];

/** Refuses a tree that is not formatted or has mistakes a reader would find, before minutes are spent on its tests. */
export async function check() {
  const began = performance.now();
  await Promise.all(
    PROGRAMS.map(([program, ...words]) =>
      run(
        process.execPath,
        [join(ROOT, 'node_modules', program), ...words],
        () => `${program.split('/')[0]} found what stands above. npm run fix mends what can be mended.`,
      ),
    ),
  );
  say(`form checked in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}
