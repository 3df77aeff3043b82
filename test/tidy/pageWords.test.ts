import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readTree } from './sourceFile.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const pages = readTree(ROOT, ['client-console', 'client-demo'], /\.(tsx?|css|html)$/);

/** Words of the trade, and who must not read them: guests read neither kind. */
const OF_NOBODY = /死信|核算|门票|回补/;
const OF_GUESTS = /预占|入队|核销/;

test('no page says in Chinese what only people of the trade understand', () => {
  const found = pages.flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter((line) => OF_NOBODY.test(line) || (path.startsWith('client-demo') && OF_GUESTS.test(line)))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test('every list of fonts names those of Chinese on macOS, Windows and Linux', () => {
  const stacks = [...pages, ...readTree(ROOT, ['src/loadtest/report'], /\.ts$/)].flatMap(({ path, text }) =>
    [...text.matchAll(/system-ui[^;}]*/g)].map(([stack]) => ({ path, stack })),
  );
  expect(stacks.length).toBeGreaterThan(3);
  for (const { path, stack } of stacks)
    for (const font of ['PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC']) expect(stack, path).toContain(font);
});
