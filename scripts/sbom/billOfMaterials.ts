import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const read = (name: string): unknown => JSON.parse(readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8'));
/** Built into the pages, so they are passed on, although only the build needs them. They need nothing themselves. */
export const IN_THE_PAGES = ['preact', 'uplot'];
const versions = z.record(z.string(), z.string());
const manifest = z.looseObject({ dependencies: versions, devDependencies: versions });
const lockfile = z.looseObject({
  packages: z.record(z.string(), z.looseObject({ dev: z.boolean().default(false), optional: z.boolean().default(false), devOptional: z.boolean().default(false), devDependencies: z.unknown().optional() })),
});

/**
 * The packages of the running system and of its pages as CycloneDX, by npm's own command: those that the image keeps (`npm prune --omit=dev
 * --omit=optional`), and those that the pages are built of.
 * npm is given a manifest and a lockfile of these only, and fails when one is missing: with `--omit dev` it leaves out what a package for
 * development needs too, such as ms and pg-protocol.
 */
export async function billOfMaterials(): Promise<string> {
  const { devDependencies, dependencies, ...rest } = manifest.parse(read('package.json'));
  const built = Object.fromEntries(IN_THE_PAGES.map((name) => [name, devDependencies[name]]));
  const lock = lockfile.parse(read('package-lock.json'));
  const packages = Object.entries(lock.packages).filter(([path, { dev, optional, devOptional }]) => IN_THE_PAGES.includes(path.replace('node_modules/', '')) || (!dev && !optional && !devOptional))
    .map(([path, { dev: _, devDependencies: __, ...entry }]) => [path, path === '' ? { ...entry, dependencies: { ...dependencies, ...built } } : entry] as const);
  const folder = mkdtempSync(join(tmpdir(), 'rain-sbom-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...rest, dependencies: { ...dependencies, ...built } }));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }));
    const { stdout } = await promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], { cwd: folder, timeout: 60_000, maxBuffer: 64e6 });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
