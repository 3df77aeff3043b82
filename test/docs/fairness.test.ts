import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METHODS } from '../../src/rain/split/methods.ts';

const PAGE = new URL('../../docs/fairness.md', import.meta.url);
const BEGIN = '<!-- splits: written by test/docs/fairness.test.ts -->\n';
const END = '\n<!-- /splits -->';

test('docs/fairness.md tells of every way to split a budget how anybody can compute it', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const from = page.indexOf(BEGIN) + BEGIN.length;
  const recipes = METHODS.map(({ name, recipe }) => `- \`${name}\`: ${recipe}`).join('\n');
  expect(from).toBeGreaterThan(BEGIN.length);
  await expect(page.slice(0, from) + recipes + page.slice(page.indexOf(END))).toMatchFileSnapshot(PAGE.pathname);
});
