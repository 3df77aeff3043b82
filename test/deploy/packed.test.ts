import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [PACKED_BYTES_MAX, UNPACKED_BYTES_MAX] = [6_000_000, 20_000_000];

/** All that may be in it, by its path. */
const ALLOWED = [
  /^(package\.json|README\.md|LICENSE)$/,
  /^lua\/\w+\.lua$/,
  /^prisma\/migrations\/(migration_lock\.toml|\w+\/migration\.sql)$/,
  /^dist\/(client-demo|client-console)\/(\w+\.html(\.(br|gz))?|[\w.-]+\.(js|css|svg|png|woff2|webmanifest|json|ico|mp3)|assets\/[\w.-]+)$/,
  /^dist\/chunks\/[\w.-]+\.js$/,
  /^dist\/(?!client-|chunks)[a-z]+\/([\w-]+\/)*[\w-]+\.js$/,
];

interface Packed {
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}
let packed: Packed;
let paths: Set<string>;
beforeAll(async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], { cwd: ROOT, maxBuffer: 64e6 });
  [packed] = JSON.parse(stdout) as [Packed];
  paths = new Set(packed.files.map(({ path }) => path));
}, 60_000);

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** Own modules that a compiled file imports. */
const importsOf = (path: string) =>
  [
    ...read(path)
      .replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gm, '')
      .matchAll(/(?:\bfrom ?|\bimport ?\(? ?)["'](\.[^"']+\.js)["']/g),
  ].map(([, name]) => join(dirname(path), name!));

test('npm pack takes every module that the program and its child processes load, and the pages', () => {
  const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(`src/${name}`))
    .join('\n');
  const entries = [...source.matchAll(/compiledEntry\('([^']+)'\)/g)].map(([, name]) => `dist/${name}`);
  expect(entries.length).toBeGreaterThan(5);
  const open = entries.map((name) => (name.endsWith('.js') ? name : `${name}/index.html`));
  const loaded = new Set<string>();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    if (path.endsWith('.js') && existsSync(join(ROOT, path))) open.push(...importsOf(path));
  }
  expect([...loaded].some((path) => path.startsWith('dist/chunks/'))).toBe(true);
  expect([...loaded].filter((path) => !paths.has(path))).toEqual([]);
});

test('npm pack takes every script of Redis, every migration, and all of the pages', () => {
  const wanted = ['lua', 'prisma/migrations', 'dist/client-demo', 'dist/client-console'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'README.md')
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length)),
  );
  expect(wanted.length).toBeGreaterThan(50);
  expect(wanted.filter((path) => !paths.has(path))).toEqual([]);
});

test('npm pack takes nothing else: no sources, no tests, no maps, no chunks of earlier builds, no secrets, no paths of this machine', () => {
  expect([...paths].filter((path) => !ALLOWED.some((allowed) => allowed.test(path)))).toEqual([]);
  const left = new Set(
    read('dist/chunks/.npmignore')
      .split('\n')
      .map((name) => `dist/chunks/${name}`),
  );
  expect([...paths].filter((path) => left.has(path))).toEqual([]);
  const secret = /-----BEGIN [A-Z ]*PRIVATE KEY|\bnpm_\w{36}\b|\bAKIA[0-9A-Z]{16}\b/;
  expect([...paths].filter((path) => secret.test(read(path)) || read(path).includes(ROOT))).toEqual([]);
});

test('the package stays small', () => {
  expect(packed.size).toBeLessThan(PACKED_BYTES_MAX);
  expect(packed.unpackedSize).toBeLessThan(UNPACKED_BYTES_MAX);
});

test('what is sent compressed in place of a file is that file', () => {
  const compressed = [...paths].filter((path) => /^dist\/client-\w+\/.*\.(br|gz)$/.test(path));
  const plainOf = (path: string) => path.replace(/\.(br|gz)$/, '');
  for (const path of compressed) {
    const bytes = readFileSync(join(ROOT, path));
    expect(
      (path.endsWith('.br') ? brotliDecompressSync(bytes) : gunzipSync(bytes)).equals(
        readFileSync(join(ROOT, plainOf(path))),
      ),
      path,
    ).toBe(true);
  }
  const large = [...paths].filter(
    (path) =>
      /^dist\/client-\w+\/.*\.(html|js|css)$/.test(path) &&
      statSync(join(ROOT, path)).size > 5_000 &&
      !path.includes('service-worker'),
  );
  expect(large.length).toBeGreaterThan(5);
  expect(large.filter((path) => !compressed.includes(`${path}.gz`) || !compressed.includes(`${path}.br`))).toEqual([]);
});
