import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ROOT } from './root.ts';

const manifest = z.object({
  dependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
});

/** Names a part of this program whose packages are not installed, and the command that installs them. */
export class PackageMissing extends Error {
  override name = 'PackageMissing';
}

/**
 * Imports packages that only a part of this program needs, and that `npm ci --omit=optional` leaves out.
 * @param part as the subject of a sentence
 * @throws PackageMissing where one of them, or a package that it needs, is not installed
 */
export async function optionalPackages<Loaded>(
  part: string,
  names: readonly string[],
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    // `Cannot find module` would be a file of our own.
    if (
      !(
        error instanceof Error &&
        'code' in error &&
        error.code === 'ERR_MODULE_NOT_FOUND' &&
        error.message.startsWith('Cannot find package')
      )
    )
      throw error;
    throw new PackageMissing(
      `${part} needs packages that are not installed: npm install ${names.map(withVersion).join(' ')}`,
    );
  }
}

/** The version that this program was tested with. */
function withVersion(name: string): string {
  const { dependencies, optionalDependencies } = manifest.parse(
    JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')),
  );
  return `${name}@${optionalDependencies[name] ?? dependencies[name]}`;
}
