import { existsSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { readTree } from '../tidy/sourceFile.ts';
import { PAGES, ROOT, type Page } from './pages.ts';

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/`|\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

const anchorsOf = (text: string): Set<string> =>
  new Set([...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading!)));

/** A comment in a shell command is no heading, and a type in brackets no link. */
function withoutCode(text: string): string {
  return text.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/^ {4}.*$/gm, '');
}

const linksOf = ({ text }: Page): string[] =>
  [
    ...withoutCode(text)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, link]) => link!)
    .filter((link) => !/^https?:/.test(link));

function isBroken(page: Page, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page.path : posix.normalize(posix.join(posix.dirname(page.path), file));
  if (!existsSync(ROOT + path)) return true;
  return (
    anchor !== undefined &&
    (statSync(ROOT + path).isDirectory() || !anchorsOf(readFileSync(ROOT + path, 'utf8')).has(anchor))
  );
}

test('every link of a page leads to a file that is there, and to a heading that it has', () => {
  const links = PAGES.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
  expect(links.length).toBeGreaterThan(150);
  expect(
    links.filter(({ page, link }) => isBroken(page, link)).map(({ page, link }) => `${page.path}: ${link}`),
  ).toEqual([]);
});

test('a broken link and a missing heading are found', () => {
  const page = { path: 'docs/x.md', text: '' };
  expect(isBroken(page, 'nowhere.md')).toBe(true);
  expect(isBroken(page, '../README.md#no-such-heading')).toBe(true);
  expect(isBroken(page, '../README.md#two-commands')).toBe(false);
});

test('every document that code, settings of servers or tests name is there', () => {
  const files = [
    ...readTree(ROOT, ['src', 'test', 'scripts', 'client-demo/src', 'client-console/src'], /\.(tsx?|mjs|py)$/),
    ...readTree(ROOT, ['deploy'], /\.(yml|yaml|service|md)$/),
  ];
  const named = files
    .filter(({ path }) => !path.includes('/generated/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bdocs\/[\w/-]+\.(?:md|jsonl?|svg)\b/g)].map(([document]) => ({ path, document })),
    );
  expect(named.length).toBeGreaterThan(40);
  expect(
    named
      .filter(({ path, document }) => !existsSync(ROOT + document) && !path.startsWith('test/docs/links'))
      .map(({ path, document }) => `${path}: ${document}`),
  ).toEqual([]);
});

test('every page can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const path of reached) {
    const page = PAGES.find((one) => one.path === path);
    for (const link of page ? linksOf(page) : [])
      reached.add(posix.normalize(posix.join(posix.dirname(path), link.split('#')[0] || posix.basename(path))));
  }
  expect(PAGES.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
});
