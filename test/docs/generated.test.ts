import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DOCUMENTS } from '../../scripts/docs/documents.ts';

// `npm run docs` runs this file with -u, which writes what differs; `npm test` fails on it.

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test.each(DOCUMENTS)('$path is up to date; if not: npm run docs', async ({ path, make }) => {
  const before = existsSync(pathOf(path)) ? readFileSync(pathOf(path), 'utf8') : '';
  await expect(await make(before)).toMatchFileSnapshot(pathOf(path));
});
