import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { STEPS } from '../../src/bin/setup/build.mjs';
import { readTree } from '../tidy/sourceFile.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Files imported for more than their types, with their own imports, as paths from the root. */
function partsOf(folder: string): Set<string> {
  const parts = new Set(readTree(ROOT, [folder], /\.tsx?$/).map(({ path }) => path));
  for (const part of parts) {
    const text = readFileSync(ROOT + part, 'utf8');
    for (const [, from] of text.matchAll(/^(?:import|export) (?!type )[^;]*?'(\.[^']+\.tsx?)'/gm))
      parts.add(posix.join(posix.dirname(part), from!));
  }
  return parts;
}

test.each(['client-demo', 'client-console'])(
  'a change of anything that is in the page of %s has it built again',
  (folder) => {
    const { inputs } = STEPS.find(({ command }) => command.includes(folder))!;
    expect([...partsOf(folder)].filter((part) => !inputs.some((input) => part.startsWith(`${input}/`)))).toEqual([]);
  },
);
