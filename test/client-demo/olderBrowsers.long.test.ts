import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';
import { bundled } from '../../scripts/client/packClient.ts';
import { newerIn } from '../support/newerScript.ts';

const CONFIG = fileURLToPath(new URL('../../client-demo/vite.config.ts', import.meta.url));

const { output } = (await build({
  configFile: CONFIG,
  logLevel: 'silent',
  mode: 'production',
  build: { write: false },
})) as Rolldown.RolldownOutput;
/** The built files with this ending, by name. */
const files = (ending: string): [name: string, text: string][] =>
  output
    .filter(({ fileName }) => fileName.endsWith(ending))
    .map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)]);

/** Asked for before they are called, by a library or by older/has-own.ts. */
const SUPPLIED: Readonly<Record<string, readonly string[]>> = {
  'challenge-worker': ['.hasOwn()'],
  'verification-worker': ['.hasOwn()', '.canParse()', '.toHex()'],
};

test('the check of scripts finds what is newer, and passes what asks first', () => {
  expect(newerIn('class A { #m() {} static { a ??= 1 } n(o) { return #m in o } }')).toEqual([
    '#name in',
    '??=',
    'private methods',
    'static {}',
  ]);
  expect(newerIn('await 1; /(?<=a)b/.test(c.at(-1)); AbortSignal.timeout(1); new WeakRef({})')).toEqual([
    '.at()',
    '/(?<=a)b/',
    'AbortSignal.timeout',
    'WeakRef',
    'await at the top',
  ]);
  expect(
    newerIn('new Worker("x.js", { type: "module" }); async () => { await a?.b; c.requestFullscreen?.() }'),
  ).toEqual(['module worker']);
});

test('no script of the pages has syntax or APIs that Chromium 80 and Safari 14.1 lack', () => {
  const scripts = files('.js');
  expect(scripts.length).toBeGreaterThan(5);
  const found = scripts.map(([name, code]) => {
    const supplied = SUPPLIED[/([a-z-]+)-[^/]*$/.exec(name)?.[1] ?? ''] ?? [];
    return [name, newerIn(code).filter((newer) => !supplied.includes(newer))];
  });
  expect(found.filter(([, newer]) => newer!.length > 0)).toEqual([]);
});

test('nor has any script of the client', async () => {
  for (const format of ['es', 'cjs', 'iife'] as const) expect(newerIn(await bundled(format)), format).toEqual([]);
});

/** Without what stands in `@supports`: older browsers skip it. */
function unguarded(css: string): string {
  const start = css.indexOf('@supports');
  if (start < 0) return css;
  let depth = 0;
  let end = css.indexOf('{', start);
  do {
    if (css[end] === '{') depth++;
    if (css[end] === '}') depth--;
    end++;
  } while (depth > 0);
  return css.slice(0, start) + unguarded(css.slice(end));
}

test('no style sheet depends on what they do not know', () => {
  const sheets = files('.css');
  expect(sheets.length).toBeGreaterThan(2);
  for (const [name, css] of sheets) {
    const older = unguarded(css);
    expect(
      [
        ...new Set(
          older.match(
            /\binset(?:-\w+)?:|\b(?:margin|padding)-(?:inline|block):|:not\([^()]*,|:where\(|\d[dsl]v[hwi]\b|color-mix\(|@layer|@container|&|oklch\(|light-dark\(/g,
          ),
        ),
      ],
      name,
    ).toEqual([]);
    // Another rule says the same in the former way.
    for (const selector of older.match(/[^{}]*:is\([^{}]*(?=\{)/g) ?? [])
      expect(older, name).toContain(selector.replaceAll(':is(', ':-webkit-any('));
    if (/(?:^|[;{])aspect-ratio:/.test(older)) expect(css, name).toContain('@supports not (aspect-ratio:1)');
  }
  // A flex box with a gap has margins for those who do not know it.
  const player = sheets.find(([name]) => name.includes('index-'))![1];
  expect(player).toMatch(/\[data-no-gap\] \.bar>:not\(\[hidden\]\)~\*\{margin-left:12px\}/);
  expect(player).toMatch(/\[data-no-gap\] \.bottom>:not\(\[hidden\]\)~\*\{margin-top:10px\}/);
});
