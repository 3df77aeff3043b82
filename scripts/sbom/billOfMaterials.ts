import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { manifestOfImage } from '../../deploy/docker/keep.mjs';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8'));
/** Built into the pages, so they are passed on, although only the build needs them. They need nothing themselves. */
export const IN_THE_PAGES = ['preact', 'uplot'];
const versions = z.record(z.string(), z.string());
const manifest = z.looseObject({ dependencies: versions, devDependencies: versions, optionalDependencies: versions });
const lockfile = z.looseObject({
  packages: z.record(z.string(), z.looseObject({ optional: z.boolean().default(false) })),
});

/**
 * The packages of the running system and of its pages as CycloneDX, by npm's own command: those that the image keeps
 * (`npm prune --omit=dev --omit=optional`), and those that the pages are built of. npm is given a manifest and a
 * lockfile of these only, and fails when one is missing: with `--omit dev` it leaves out what a package for development
 * needs too, such as ms and pg-protocol.
 */
export async function billOfMaterials(): Promise<string> {
  const {
    devDependencies,
    dependencies,
    optionalDependencies: _,
    ...rest
  } = manifest.parse(manifestOfImage(manifest.parse(read('package.json'))));
  const built = Object.fromEntries(IN_THE_PAGES.map((name) => [name, devDependencies[name]]));
  const folder = mkdtempSync(join(tmpdir(), 'rain-sbom-'));
  const npm = async (...words: string[]) =>
    (await promisify(execFile)('npm', words, { cwd: folder, timeout: 60_000, maxBuffer: 64e6 })).stdout;
  const lockPath = join(folder, 'package-lock.json');
  try {
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ ...rest, dependencies: { ...dependencies, ...built } }),
    );
    writeFileSync(lockPath, JSON.stringify(read('package-lock.json')));
    // Leaves in it what these need, and says anew what is optional.
    await npm('install', '--package-lock-only', '--offline', '--no-audit', '--no-fund');
    const lock = lockfile.parse(JSON.parse(readFileSync(lockPath, 'utf8')));
    writeFileSync(
      lockPath,
      JSON.stringify({
        ...lock,
        packages: Object.fromEntries(Object.entries(lock.packages).filter(([, { optional }]) => !optional)),
      }),
    );
    return await npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
