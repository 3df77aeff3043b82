import { fileURLToPath } from 'node:url';

/**
 * What a child process runs: the compiled file, e.g. `compiledEntry('bin/rain.js')`. Correct from `dist/` and also from
 * `src/` (under the test runner), since both lie equally deep.
 */
export function compiledEntry(path: string): string {
  return fileURLToPath(new URL(`../../../dist/${path}`, import.meta.url));
}
