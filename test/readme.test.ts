import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codesMarkdown } from '../src/protocol/describe.ts';

test('the README shows the page of codes as `rain codes` prints it', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(/<!-- codes: [^\n]*\n([^]*)\n<!-- \/codes -->/.exec(readme)?.[1]).toBe(codesMarkdown());
});
