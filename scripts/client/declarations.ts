import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** TypeScript's declarations, by path from `src`. */
type Declared = ReadonlyMap<string, string>;

const IMPORTED = /(?:from |import\()["'](?<from>[^"']+)["']/g;
/** `import type { A, B } from './x.ts'`, and the same with `export`. */
const NAMES = /^(?:im|ex)port (?:type )?\{(?<names>[^}]*)\} from '(?<from>\.[^']+)';$/gm;

/**
 * The declarations of a module and of all that it names, without any other package: what zod infers is written out.
 * @returns by path from `src`, such as `client/client.d.ts`
 * @throws when the sources have errors
 */
export async function declarations(entry: string): Promise<Map<string, string>> {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'dist/declarations-'));
  try {
    const declared = await declare(folder, entry);
    const inferred = inferredNames(declared);
    const written = await writeOut(folder, inferred);
    // Declarations that are written out name less.
    const needed = follow(entryPath(entry), (path) => written.get(path) ?? declared.get(path)!);
    return new Map([...needed].map(([path, text]) => [path, withScripts(text)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const emitted = (folder: string, file: string) => join(folder, 'out', relative(ROOT, file).replace(/\.ts$/, '.d.ts'));

async function compile(folder: string, files: readonly string[]): Promise<void> {
  const config = join(folder, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        rootDir: ROOT,
        outDir: join(folder, 'out'),
        emitDeclarationOnly: true,
        sourceMap: false,
        incremental: false,
        tsBuildInfoFile: null,
      },
      include: [],
      files,
    }),
  );
  await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config]).catch(
    ({ stdout }: { stdout: string }) => {
      throw new Error(`the client's types could not be made: ${stdout}`);
    },
  );
}

/** The declarations of a module, and of all that it names. */
async function declare(folder: string, entry: string): Promise<Map<string, string>> {
  await compile(folder, [entry]);
  return follow(entryPath(entry), (path) => readFileSync(join(folder, 'out/src', path), 'utf8'));
}

const entryPath = (entry: string) => relative(join(ROOT, 'src'), entry).replace(/\.ts$/, '.d.ts');

/** All that a file names, and what these name. */
function follow(path: string, read: (path: string) => string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(path)) return found;
  const text = read(path);
  found.set(path, text);
  for (const { groups } of text.matchAll(IMPORTED))
    if (groups!['from']!.startsWith('.')) follow(beside(path, groups!['from']!), read, found);
  return found;
}

const beside = (path: string, from: string) => normalize(join(dirname(path), from.replace(/\.ts$/, '.d.ts')));

/** Each module that names another package, with the names that modules without that import need from it. */
function inferredNames(declared: Declared): Map<string, Set<string>> {
  const isInferred = (path: string) =>
    [...declared.get(path)!.matchAll(IMPORTED)].some(({ groups }) => !groups!['from']!.startsWith('.'));
  const wanted = new Map<string, Set<string>>();
  for (const [path, text] of declared) {
    if (isInferred(path)) continue;
    for (const { groups } of text.matchAll(NAMES)) {
      const from = beside(path, groups!['from']!);
      if (!isInferred(from)) continue;
      const names = wanted.get(from) ?? new Set();
      // A list over several lines ends with a comma.
      for (const name of groups!['names']!.split(',').map((part) => part.trim().replace(/^type /, '')))
        if (name !== '') names.add(name);
      wanted.set(from, names);
    }
  }
  return wanted;
}

/** Types as TypeScript writes them when it has to infer them itself: in full. */
async function writeOut(
  folder: string,
  inferred: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Map<string, string>> {
  const files = new Map(
    [...inferred].map(([path, names], i): [string, string] => {
      const file = join(folder, `inferred-${i}.ts`);
      writeFileSync(
        file,
        [
          `import type { ${[...names].join(', ')} } from '${relative(folder, join(ROOT, 'src', path.replace(/\.d\.ts$/, '.ts')))}';`,
          'declare function inFull<T>(): { [K in keyof T]: T[K] };',
          ...[...names].map((name) => `const $${name} = inFull<${name}>();`),
          `export { ${[...names].map((name) => `$${name}`).join(', ')} };`,
        ].join('\n'),
      );
      return [path, file];
    }),
  );
  await compile(folder, [...files.values()]);
  return new Map(
    [...files].map(([path, file]) => [path, asTypes(readFileSync(emitted(folder, file), 'utf8'), folder, path)]),
  );
}

const dotted = (path: string) => (path.startsWith('.') ? path : `./${path}`);

/** The inferred type of a constant is the type of its name. */
function asTypes(text: string, folder: string, path: string): string {
  const here = (from: string) => dotted(relative(dirname(path), relative(join(ROOT, 'src'), join(folder, from))));
  return text
    .replace(/^declare const \$(\w+): /gm, 'export type $1 = ')
    .replace(/^(?:import|export|declare function) .*\n/gm, (line) => (line.startsWith('export type') ? line : ''))
    .replace(/import\("(\.[^"]+)"\)/g, (_, from: string) => `import('${here(from)}')`);
}

/** Declarations name scripts, not sources. */
const withScripts = (text: string) =>
  text.replace(/(from |import\()(["'])(\.[^"']+)\.ts\2/g, '$1$2$3.js$2').replace(/^\/\/# sourceMappingURL.*$/m, '');
