import { existsSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';

/** `import … from '…'`, `export … from '…'`, `import '…'` and `import('…')`, also for types. */
const IMPORT = /\bfrom\s*'(\.[^'\n]+)'|\bimport\s*\(?\s*'(\.[^'\n]+)'/g;
/** A path in quotes: it begins at the file (`./a`, `../a`) or at the root of the repository (`lua/`, `dist/a.js`). */
const PATH = /['"`]((?:\.{1,2}\/)*[\w.-]+(?:\/[\w.-]+)*\/?)['"`]/g;
/** Folders that are too wide to say anything. */
const TOO_WIDE = new Set(['.', 'src', 'test', 'dist', 'docs', 'node_modules']);
const SOURCE = /^(?!src\/ledger\/generated\/).*\.(?:tsx?|mjs|css|html)$/;
const PATH_CHARACTERS_MAX = 200;

/**
 * Steps from a file to the nearest of these changed ones, through imports and through paths that a file names: a folder
 * that it reads, a program that it starts. `undefined`: none is reached.
 */
export type StepsToChange = (file: string, changed: ReadonlySet<string>) => number | undefined;

/**
 * Reads the sources below this folder; paths are relative to it. Without `programs`, compiled programs that are started
 * count as nothing: they reach all of src/.
 */
export function readImportGraph(root: string, { programs }: { programs: boolean }): StepsToChange {
  const known = new Map<string, string[]>();
  const edgesOf = (file: string): string[] => {
    let edges = known.get(file);
    if (!edges) {
      edges = SOURCE.test(file) ? edgesIn(root, file, programs) : [];
      known.set(file, edges);
    }
    return edges;
  };
  return (file, changed) => {
    const steps = new Map([[file, 0]]);
    // A Map is walked in the order of insertion, also over what is inserted meanwhile.
    for (const [at, distance] of steps) {
      if (changed.has(at) || (at.endsWith('/') && [...changed].some((path) => path.startsWith(at)))) return distance;
      for (const next of edgesOf(at)) if (!steps.has(next)) steps.set(next, distance + 1);
    }
    return undefined;
  };
}

function edgesIn(root: string, file: string, programs: boolean): string[] {
  const text = readFileSync(posix.join(root, file), 'utf8');
  const folder = posix.dirname(file);
  const imported = [...text.matchAll(IMPORT)].map((match) => posix.join(folder, (match[1] ?? match[2])!));
  const named = [...text.matchAll(PATH)].flatMap(([, name]) => {
    if (name!.length > PATH_CHARACTERS_MAX) return [];
    if (name!.startsWith('.')) return posix.join(folder, name!);
    return name!.includes('/') ? [name!, posix.join(folder, name!)] : posix.join(folder, name!);
  });
  // `compiledEntry('bin/rain.js')` names a program of dist/.
  const compiled = programs ? named.flatMap((path) => sourcesOf(root, path)) : [];
  return [...new Set([...imported, ...named, ...compiled].flatMap((path) => existing(root, path)))];
}

/** The source of a compiled program, and the folder of a built page. */
function sourcesOf(root: string, path: string): string[] {
  const name = path.replace(/^dist\//, '');
  if (name.endsWith('.js') && existsSync(posix.join(root, 'src', name.replace(/\.js$/, '.ts'))))
    return [posix.join('src', name.replace(/\.js$/, '.ts'))];
  return name === path ? [] : [`${name}/`];
}

/** The path if there is a file, the path with a slash at its end if there is a folder that is not too wide. */
function existing(root: string, path: string): string[] {
  const name = path.replace(/\/$/, '');
  if (name.startsWith('..') || TOO_WIDE.has(name) || name.startsWith('dist/') || name.startsWith('node_modules/'))
    return [];
  const found = statSync(posix.join(root, name), { throwIfNoEntry: false });
  return found ? [found.isDirectory() ? `${name}/` : name] : [];
}
