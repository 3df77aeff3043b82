import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** An image runs no `rain up`, and so needs no embedded database. */
const LEFT_OUT = /^@electric-sql\//;

/**
 * The manifest of an image: nobody can install a package into a running container, so the other optional packages are
 * dependencies there.
 */
export function manifestOfImage({ dependencies, optionalDependencies, ...rest }) {
  const [out, kept] = [true, false].map((left) =>
    Object.fromEntries(Object.entries(optionalDependencies).filter(([name]) => LEFT_OUT.test(name) === left)),
  );
  return { ...rest, dependencies: { ...dependencies, ...kept }, optionalDependencies: out };
}

// In the folder of an image, before `npm prune --omit=dev --omit=optional`.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const manifest = manifestOfImage(JSON.parse(readFileSync('package.json', 'utf8')));
  writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
}
