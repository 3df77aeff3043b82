import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * `unit`: starts and dials nothing, so that many files share a thread. `system`: starts or dials something. `long`:
 * `*.long.test.ts`, whatever it does. `alone`: those of them that say how fast somebody is served, with nothing running
 * beside them.
 */
type Project = 'unit' | 'system' | 'long' | 'alone';

/** The environment variable with the files, parted by spaces, that a run leaves out. */
export const WITHOUT_VARIABLE = 'RAIN_TESTS_WITHOUT';

const ALONE = new Set(['test/attack/attack.long.test.ts', 'test/cost/cost.long.test.ts']);

/** A file that imports one of these, other than for its types, can start a server or a process, or connect to one. */
const SERVERS = new Set([
  'node:child_process',
  'node:cluster',
  'node:dgram',
  'node:http',
  'node:https',
  'node:net',
  'node:tls',
  'node:worker_threads',
  'bullmq',
  'fastify',
  'ioredis',
  'pg',
  'playwright-core',
  'socket.io',
  'ws',
]);

/**
 * `import … from '…'`, `export … from '…'`, `import '…'` and `import('…')`; not `import type`, nor a type's `typeof
 * import('…')`.
 */
const IMPORT =
  /^\s*(?:import|export)\s+(?!type\b)[^;'"]*?\bfrom\s*'([^']+)'|^\s*import\s+'([^']+)'|(?<!typeof )\bimport\(\s*'([^']+)'\s*\)/gm;

/** Reads the sources below this folder; paths are relative to it. */
export function readProjects(root: string): {
  files: string[];
  projectOf(test: string): Project;
  opensBrowser(test: string): boolean;
} {
  const known = new Map<string, readonly string[]>();
  const importsOf = (path: string) => {
    const found = known.get(path) ?? importsIn(readFileSync(posix.join(root, path), 'utf8'));
    known.set(path, found);
    return found.map((name) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name));
  };
  /**
   * The imports of a test: through files of test/ as far as they go, and one step into src/, where it is handed the
   * servers that it dials.
   */
  const reached = (path: string, names = new Set<string>()) => {
    for (const name of importsOf(path)) {
      if (names.has(name)) continue;
      names.add(name);
      if (!/\.(ts|mjs)$/.test(name) || !existsSync(posix.join(root, name))) continue;
      if (name.startsWith('test/')) reached(name, names);
      else for (const further of importsOf(name)) if (SERVERS.has(further)) names.add(further);
    }
    return names;
  };
  return {
    files: readdirSync(posix.join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `test/${name}`)
      .sort(),
    projectOf: (test) =>
      ALONE.has(test)
        ? 'alone'
        : test.endsWith('.long.test.ts')
          ? 'long'
          : [...reached(test)].some((name) => SERVERS.has(name))
            ? 'system'
            : 'unit',
    opensBrowser: (test) => reached(test).has('playwright-core'),
  };
}

function importsIn(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => (match[1] ?? match[2] ?? match[3])!);
}
