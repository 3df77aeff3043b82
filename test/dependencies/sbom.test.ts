import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { billOfMaterials, IN_THE_PAGES } from '../../scripts/sbom/billOfMaterials.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

/** Licences under which the system may be passed on as a whole: none asks for the source of our own code. */
const ALLOWED = new Set([
  'MIT',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  '0BSD',
  '(MIT AND Zlib)',
]);

const bom = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.string(),
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      purl: z.string(),
      licenses: z
        .array(
          z.union([
            z.object({ license: z.object({ id: z.string() }) }).transform(({ license }) => license.id),
            z.object({ expression: z.string() }).transform(({ expression }) => expression),
          ]),
        )
        .default([]),
    }),
  ),
});
const lock = z
  .object({ packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })) })
  .parse(JSON.parse(read('package-lock.json')));
const manifest = z.object({ dependencies: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));

let components: z.infer<typeof bom>['components'];
beforeAll(async () => {
  ({ components } = bom.parse(JSON.parse(await billOfMaterials())));
});

test('the bill of materials has every dependency of the running system, with version and address', () => {
  const listed = new Set(
    components.map(({ name, version, purl }) => (purl.endsWith(`@${version}`) ? `${name}@${version}` : name)),
  );
  expect(listed.size).toBeGreaterThan(100);
  expect(
    Object.entries(manifest.dependencies)
      .map(([name, version]) => `${name}@${version}`)
      .filter((one) => !listed.has(one)),
  ).toEqual([]);
});

test('every dependency of the running system has a licence that is allowed', () => {
  expect(
    components
      .filter(({ licenses }) => licenses.length === 0 || !licenses.every((one) => ALLOWED.has(one)))
      .map(({ name, licenses }) => `${name}: ${licenses.join(', ')}`),
  ).toEqual([]);
});

test('what the running system needs is in it, also where a package for development needs the same', () => {
  const names = new Set(components.map(({ name }) => name));
  expect(['ms', 'pg-protocol', 'tslib', 'picocolors'].filter((name) => !names.has(name))).toEqual([]);
});

test('the image has tracing, and no embedded database', () => {
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['@opentelemetry/sdk-trace-node']));
  expect(names.filter((name) => name.startsWith('@electric-sql/'))).toEqual([]);
});

test('what the pages are built of is in it', () => {
  const names = new Set(components.map(({ name }) => name));
  const pages = ['client-console/src', 'client-demo/src'].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => read(`${folder}/${path}`)),
  );
  const imported = new Set(
    pages.flatMap((text) => [...text.matchAll(/^import [^']*'((?:@[\w-]+\/)?[\w][\w.-]*)/gm)].map(([, name]) => name!)),
  );
  expect([...imported]).toEqual(expect.arrayContaining(IN_THE_PAGES));
  expect([...imported].filter((name) => !names.has(name))).toEqual([]);
});

test('the command line of Prisma, and elkjs with it, is not in the running system, nor in the image', () => {
  expect(
    components.filter(({ name }) =>
      ['prisma', 'elkjs', '@prisma/engines', '@prisma/dev', '@prisma/studio-core', 'typescript', 'react'].includes(
        name,
      ),
    ),
  ).toEqual([]);
  expect(read('deploy/docker/Dockerfile')).toContain(
    'node deploy/docker/keep.mjs && npm prune --omit=dev --omit=optional --ignore-scripts',
  );
});

test('no package runs code when it is installed', () => {
  const names = new Set(components.map(({ name }) => name));
  const withScript = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.replace(/^.*node_modules\//, '')] : [],
  );
  expect(withScript.filter((name) => names.has(name))).toEqual([]);
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  const setup = read('src/bin/setup/packages.mjs');
  expect(setup).toMatch(/^const OPTIONS = \[\s*'--ignore-scripts'/m);
  expect(setup.match(/'npm', .*/g)).toEqual([expect.stringContaining("'npm', [...command, ...OPTIONS]")]);
  expect(read('deploy/docker/Dockerfile').match(/npm (ci|install|prune)\b.*/g)).toEqual([
    expect.stringContaining('--ignore-scripts'),
  ]);
});
