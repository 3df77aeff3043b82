import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/durability.md', ROOT), 'utf8');
const cited = [...page.matchAll(/→ `([^`]+)` “([^”]+)”/g)].map(([, file, name]) => ({ file: file!, name: name! }));

test('every test that the page on durability names exists under that name', () => {
  expect(cited.length).toBeGreaterThan(25);
  // An arrow that is not followed by a file and a name would be a claim that nobody checks; the first one stands in the page's explanation of itself.
  expect(page.split('→').length - 1).toBe(cited.length + 1);
  const missing = cited.filter(({ file, name }) => {
    const path = new URL(file, ROOT);
    return !existsSync(path) || !['test', 'it', 'testFault'].some((word) => readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(`${word}('${name}'`));
  });
  expect(missing).toEqual([]);
});
