import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const START = fileURLToPath(new URL('../../src/bin/rain.ts', import.meta.url));

/** Each is much to load, and wanted by few commands. */
const LATER = [
  'fastify',
  'bullmq',
  'ws',
  'jose',
  'csv-parse',
  'csv-stringify',
  'prom-client',
  '@electric-sql/pglite',
  '@opentelemetry/sdk-trace-node',
  'hdr-histogram-js',
  'playwright-core',
];

/** Package → the files through which it is loaded before anything is asked for; types are not loaded. */
function loadedAtOnce(): Map<string, string[]> {
  const packages = new Map<string, string[]>();
  const open: string[][] = [[START]];
  const seen = new Set<string>([START]);
  for (let path = open.shift(); path; path = open.shift()) {
    const file = path.at(-1)!;
    const text = readFileSync(file, 'utf8');
    for (const [, words, from] of text.matchAll(
      /^(?:import|export)\s+(?!type\s)(?:([^'";]*?)\s+from\s+)?'([^']+)';/gms,
    )) {
      // { type A, type B } is erased, too.
      if (
        words !== undefined &&
        /^\{.*\}$/s.test(words.trim()) &&
        words
          .replaceAll(/[{}]/g, '')
          .split(',')
          .every((word) => word.trim() === '' || word.trim().startsWith('type '))
      )
        continue;
      if (from!.startsWith('node:')) continue;
      if (!from!.startsWith('.')) {
        packages.set(
          from!
            .split('/')
            .slice(0, from!.startsWith('@') ? 2 : 1)
            .join('/'),
          path,
        );
        continue;
      }
      const next = resolve(dirname(file), from!);
      if (seen.has(next)) continue;
      seen.add(next);
      open.push([...path, next]);
    }
  }
  return packages;
}

test('a rain list does not wait for servers, queues or sockets to load', () => {
  const loaded = loadedAtOnce();
  // Otherwise nothing was walked.
  expect([...loaded.keys()]).toEqual(expect.arrayContaining(['commander', 'zod']));
  expect(
    LATER.filter((name) => loaded.has(name)).map(
      (name) =>
        `${name}: ${loaded
          .get(name)!
          .map((file) => file.split('/src/')[1])
          .join(' → ')}`,
    ),
  ).toEqual([]);
});
