import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/threats.md', ROOT), 'utf8');
const cited = [...page.matchAll(/→\s`([^`]+)`\s“([^”]+)”/g)].map(([, file, name]) => ({ file: file!, name: name! }));

test('every test that the page on threats names exists under that name', () => {
  expect(cited.length).toBeGreaterThan(25);
  // The first arrow stands in the page's explanation of itself.
  expect(page.split('→').length - 1).toBe(cited.length + 1 + cited.filter(({ name }) => name.includes('→')).length);
  const missing = cited.filter(({ file, name }) => {
    const path = new URL(file, ROOT);
    return !existsSync(path) || !['test(', 'it(', 'describe(', '])('].some((word) => ["'", '`'].some((quote) => readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(`${word}${quote}${name}${quote}`)));
  });
  expect(missing).toEqual([]);
});
