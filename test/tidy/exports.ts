import { posix } from 'node:path';
import type { SourceFile, Violation } from './sourceFile.ts';

/** The file that the client's package gives to others. */
const PUBLISHED = 'src/client/client.ts';

const DECLARED = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;
const LISTED = /^(?:import|(export)) (?:type )?\{([^}]*)\}(?: from '(\.[^']+)')?/gm;
/** `import * as`, `import()` and `import().Type`: whatever such a file speaks of is taken for imported. */
const WHOLE = /^import \* as \w+ from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

/** Each export is imported by another file; by the text, since a syntax tree of every file takes ten times as long. */
export function idleExports(files: readonly SourceFile[]): Violation[] {
  const exported: { path: string; name: string }[] = [];
  const imported = new Set<string>();
  for (const { path, text } of files) {
    const take = (from: string, names: readonly string[]) => {
      const target = posix.join(posix.dirname(path), from);
      for (const name of names) imported.add(`${target} ${name}`);
    };
    for (const [, name] of text.matchAll(DECLARED)) exported.push({ path, name: name! });
    for (const [, isExport, list, from] of text.matchAll(LISTED)) {
      const pairs = list!
        .split(',')
        .map((part) =>
          part
            .trim()
            .replace(/^type /, '')
            .split(' as '),
        )
        .filter(([name]) => name !== '');
      if (from !== undefined)
        take(
          from,
          pairs.map(([inside]) => inside!),
        );
      if (isExport) exported.push(...pairs.map((pair) => ({ path, name: pair.at(-1)! })));
    }
    for (const [, star, call] of text.matchAll(WHOLE)) take((star ?? call)!, text.match(/\w+/g)!);
  }
  return exported
    .filter(({ path, name }) => path !== PUBLISHED && !imported.has(`${path} ${name}`))
    .map(({ path, name }) => `${path} exports ${name}, which nobody imports; drop the word export, or all of it`);
}
