import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readTree } from '../tidy/sourceFile.ts';
import { PAGES, pageAt, ROOT } from './pages.ts';

const citing = PAGES.filter(({ text }) => text.includes('→ `test/'));

test('the pages on durability and abuse say which tests hold them', () => {
  expect(citing.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['docs/explanation/abuse.md', 'docs/explanation/durability.md']),
  );
});

describe.each(citing)('$path', ({ text: page }) => {
  // A long title is broken over lines.
  const text = page.replaceAll(/\s+/g, ' ');
  const cited = [...text.matchAll(/→ `([^`]+)` “([^”]+)”/g)].map(([, file, name]) => ({ file: file!, name: name! }));

  test('names only tests that exist under that name', () => {
    expect(cited.length).toBeGreaterThan(25);
    expect(cited.filter(({ file, name }) => !isTest(file, name))).toEqual([]);
  });

  test('claims nothing with an arrow that leads nowhere', () => {
    // One arrow stands in the page's explanation of itself.
    expect(text.split('→').length - 1).toBe(cited.length + 1 + cited.filter(({ name }) => name.includes('→')).length);
  });
});

function isTest(file: string, name: string): boolean {
  if (!existsSync(ROOT + file)) return false;
  // The formatter breaks after a bracket, and quotes a title with an apostrophe doubly.
  const code = readFileSync(ROOT + file, 'utf8')
    .replaceAll("\\'", "'")
    .replaceAll(/\(\s+/g, '(');
  return ['test(', 'test.concurrent(', 'testFault(', 'it(', 'describe(', ')('].some((word) =>
    ["'", '`', '"'].some((quote) => code.includes(`${word}${quote}${name}${quote}`)),
  );
}

test('every invariant that is cited stands on the page of invariants, and each of them is cited by a test', () => {
  const known = new Set(
    [...pageAt('docs/reference/invariants.md').text.matchAll(/^- \[(R\d+)\]/gm)].map(([, name]) => name!),
  );
  expect([...known]).toEqual(Array.from({ length: 14 }, (_, i) => `R${i + 1}`));
  const cites = (text: string) => [...text.matchAll(/\[(R\d+)\]/g)].map(([, name]) => name!);
  const code = readTree(ROOT, ['src', 'lua', 'client-demo/src', 'client-console/src'], /\.(tsx?|mjs|lua)$/);
  const tests = readTree(ROOT, ['test'], /\.test\.ts$/);
  const strangers = [...code, ...tests, ...PAGES].flatMap(({ path, text }) =>
    cites(text)
      .filter((name) => !known.has(name))
      .map((name) => `${path}: [${name}]`),
  );
  expect(strangers).toEqual([]);
  const held = new Set(tests.flatMap(({ text }) => cites(text)));
  expect([...known].filter((name) => !held.has(name))).toEqual([]);
});
