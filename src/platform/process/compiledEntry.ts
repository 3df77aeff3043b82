import { fileURLToPath } from 'node:url';

/**
 * Path of a compiled file for a child process, e.g. `compiledEntry('bin/rain.js')`. It is correct from `dist/` and from `src/` (under
 * the test runner), because both have the same depth.
 */
export function compiledEntry(path: string): string {
  return fileURLToPath(new URL(`../../../dist/${path}`, import.meta.url));
}
