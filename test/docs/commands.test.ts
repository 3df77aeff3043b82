import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandsIn, split, type WrittenCommand } from './commands.ts';
import { PAGES, ROOT } from './pages.ts';
import { complaintAbout, strangersIn } from './parse.ts';

/** Commands that no test tries, by their first word, and why. */
const UNTRIED: Record<string, string> = {
  alias: "the shell's own",
  source: "the shell's own; the completion is tried in test/bin/completion.test.ts",
  export: "the shell's own",
  cd: "the shell's own",
  for: "the shell's own",
  do: "the shell's own",
  done: "the shell's own",
  printf: "the shell's own",
  sha256sum: 'of the system; the trace id is computed in test/platform',
  kubectl: 'needs a cluster; what it applies is rendered in test/deploy/kubernetes',
  helm: 'needs a cluster; the chart is rendered in test/deploy/kubernetes',
  base64: 'of the system',
  sh: 'runs the script of Secrets, as test/deploy/kubernetes does',
  curl: "asks servers of the reader's; the addresses are tried in test/bin/health.long.test.ts",
  promtool: 'runs in test/deploy/prometheus.test.ts, where it is installed',
  'redis-cli': "changes a Redis of the reader's",
  echo: "the shell's own",
  socat: 'sends to HAProxy what test/deploy/sites.long.test.ts sends',
  df: 'of the system',
  npx: 'runs in test/docs/embedding.long.test.ts',
  sudo: 'installs packages',
};

const written = PAGES.flatMap(commandsIn);
const of = (program: string): WrittenCommand[] => written.filter(({ words }) => words[0] === program);

test('pages show commands, and every one is tried or stands in the list of those that are not', () => {
  expect(of('rain').length).toBeGreaterThan(60);
  const strangers = written.filter(
    ({ words }) => !['rain', 'npm'].includes(words[0]!) && UNTRIED[words[0]!] === undefined,
  );
  expect(strangers.map(({ at, text }) => `${at}: ${text}`)).toEqual([]);
});

test('rain takes every command that a page shows', async () => {
  const refused: string[] = [];
  for (const { at, words } of of('rain')) {
    const complaint = await complaintAbout(words);
    if (complaint !== undefined) refused.push(`${at}: ${words.join(' ')}: ${complaint}`);
  }
  expect(refused).toEqual([]);
});

test('every command that a sentence names exists, with its options', async () => {
  const mentions = PAGES.flatMap(({ path, text }) =>
    [...text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/`(rain [^`\n]+)`/g)].map(([, mention]) => ({
      path,
      mention: mention!,
    })),
  );
  expect(mentions.length).toBeGreaterThan(80);
  const refused: string[] = [];
  for (const { path, mention } of mentions)
    for (const stranger of await strangersIn(mention)) refused.push(`${path}: ${mention}: ${stranger}`);
  expect(refused).toEqual([]);
});

test('npm has every script that a page runs, with the options it takes', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: Record<string, string> };
  const bench = readFileSync(`${ROOT}bench/main.ts`, 'utf8');
  for (const {
    at,
    words: [, verb, ...rest],
  } of of('npm')) {
    const script = verb === 'run' ? rest.shift()! : verb!;
    expect(scripts[script], `${at}: npm run ${script}`).toBeDefined();
    for (const word of rest.filter((one) => one !== '--')) {
      if (script === 'bench' && word.startsWith('--')) expect(bench, at).toContain(`${word.slice(2)}: { type:`);
      if (script === 'test' && !word.startsWith('-')) expect(existsSync(ROOT + word), `${at}: ${word}`).toBe(true);
    }
  }
});

test('an unknown verb, an unknown option and a missing argument are found', async () => {
  expect(await complaintAbout(['rain', 'audits'])).toContain('unknown command');
  expect(await complaintAbout(['rain', 'audit', '--al'])).toContain('unknown option');
  expect(await complaintAbout(['rain', 'load'])).toContain('missing required argument');
  expect(
    await complaintAbout([
      'rain',
      'create',
      '--budget',
      '1.00',
      '--packets',
      '1',
      '--start',
      'soon',
      '--duration',
      '1s',
    ]),
  ).toBeDefined();
  expect(await complaintAbout(['rain', 'audit', '--all', '--watch'])).toBeUndefined();
  expect(await strangersIn('rain dead lift')).toEqual(['lift']);
  expect(await strangersIn('rain block user|address WHO --reasons … [--for 2h]')).toEqual(['--reasons']);
});

test('a line of a shell is taken apart as a shell does, as far as pages go', () => {
  expect(split('A=1 rain x "two words" > f.csv && npm test -- b   # why')).toEqual([
    ['rain', 'x', 'two words'],
    ['npm', 'test', '--', 'b'],
  ]);
  expect(split('rain a < p.txt; rain b | head')).toEqual([['rain', 'a'], ['rain', 'b'], ['head']]);
  expect(split('# only words')).toEqual([]);
});
