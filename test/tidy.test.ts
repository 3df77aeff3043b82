import { goneWords } from './tidy/gone.ts';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { startRedis } from './support/servers/redis.ts';
import { headlessSentences } from './tidy/headless.ts';
import { fragileQueues } from './tidy/queues.ts';
import { forbiddenEdges, importRings, importsOf, readRooms } from './tidy/rooms.ts';
import { untidyScripts } from './tidy/scripts.ts';
import { longFiles } from './tidy/sizes.ts';
import { readTree, type SourceFile } from './tidy/sourceFile.ts';
import { emptyNames, environmentReads, strayingSends } from './tidy/words.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CODE = /\.(tsx?|mjs)$/;
const sources = readTree(ROOT, ['src'], CODE);
const scripts = readTree(ROOT, ['lua'], /\.lua$/);
const rooms = readRooms(readFileSync(new URL('../src/README.md', import.meta.url), 'utf8'));
const everything = [
  ...readTree(ROOT, ['src', 'test', 'client-demo', 'client-console'], /\.(tsx?|mjs|css|html)$/),
  ...scripts,
];

/** Files that tell of old words, or are a record of the past. */
const OLD_WORDS_ALLOWED =
  /^(?:test\/tidy|docs\/how-to\/upgrade\.md|prisma\/migrations\/|src\/ledger\/generated\/|bench\/results\/)/;

test('there is something to look at', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(scripts.length).toBeGreaterThan(5);
  expect(rooms.get('relay')).toEqual(new Set(['rain', 'store', 'credit', 'platform']));
  expect(sources.flatMap(importsOf).length).toBeGreaterThan(100);
});

test('imports run one way, as the table of src/README.md says', () =>
  expect(forbiddenEdges(sources, rooms)).toEqual([]));
test('no files import each other in a ring', () =>
  expect(importRings(everything.filter(({ path }) => CODE.test(path)))).toEqual([]));
test('the session has the only send of the gateway', () => expect(strayingSends(sources)).toEqual([]));
test('a queue or worker asks Redis nothing when it is made', () => expect(fragileQueues(sources)).toEqual([]));
test('every Lua file is a page with a header that counts its keys', () => expect(untidyScripts(scripts)).toEqual([]));
test('files are short and named after what is in them', () =>
  expect([...longFiles(everything), ...emptyNames(everything)]).toEqual([]));
test('no word is used that was replaced', () => {
  const texts = readTree(
    ROOT,
    [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'src',
      'test',
      'client-demo',
      'client-console',
      'lua',
      'docs',
      'bench',
      'scripts',
      'deploy',
      'prisma',
    ],
    /\.(tsx?|mjs|css|html|lua|md|json|ya?ml|conf|service|example|prisma|py)$/,
  );
  expect(goneWords(texts.filter(({ path }) => !OLD_WORDS_ALLOWED.test(path)))).toEqual([]);
});
test('sentences begin with a named thing', () => expect(headlessSentences(ROOT)).toEqual([]));
test('the environment is read in one place', () => expect(environmentReads(sources)).toEqual([]));

test('every Lua file compiles', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  for (const { path, text } of scripts)
    await expect(redis.script('LOAD', text), path).resolves.toMatch(/^[0-9a-f]{40}$/);
  await expect(redis.script('LOAD', 'return (')).rejects.toThrow(/compiling script/);
});

// The checks themselves, on what they are to find.

const file = (path: string, text = ''): SourceFile => ({ path, text });

test('a forbidden import is found, of a value, a type, a re-export, an import() and a type within a type', () => {
  const faults = (path: string, text: string) => forbiddenEdges([file(path, text)], rooms);
  for (const text of [
    "import { x } from '../ledger/book.ts';",
    "import type { X } from '../ledger/book.ts';",
    "export * from '../ledger/book.ts';",
    "const x = await import('../ledger/book.ts');",
    "type X = import('../ledger/book.ts').X;",
    "import '../ledger/book.ts';",
  ])
    expect(faults('src/gateway/options.ts', text), text).toEqual([
      expect.stringContaining('gateway/ may import rain, sale, protocol, store, grab, platform;'),
    ]);
  expect(
    faults(
      'src/gateway/handlers/grab.ts',
      "import '../../grab/engine.ts'; import '../limits.ts'; import ws from 'ws';",
    ),
  ).toEqual([]);
  expect(faults('src/bin/up/a.ts', "import '../../ledger/book.ts';")).toEqual([]);
  expect(faults('src/rain/a.ts', "import '../bin/rain.ts';")).toEqual([
    expect.stringContaining('nothing imports bin/'),
  ]);
  expect(faults('src/bin/a.ts', "import '../../test/b.ts';")).toEqual([
    expect.stringContaining('only src/ is compiled'),
  ]);
  expect(faults('src/attic/a.ts', '')).toEqual([expect.stringContaining('give it a row')]);
});

test('a ring is found, also one of types only, and a file that two import is none', () => {
  const [x, y, z] = ["import type { Y } from './y.ts';", "import '../b/z.ts';", "export * from '../a/x.ts';"];
  expect(importRings([file('src/a/x.ts', x), file('src/a/y.ts', y), file('src/b/z.ts', z)])).toEqual([
    'src/a/x.ts → src/a/y.ts → src/b/z.ts → src/a/x.ts is a ring: move what both need into a file of its own',
  ]);
  expect(
    importRings([
      file('src/a/x.ts', "import './y.ts'; import './z.ts';"),
      file('src/a/y.ts', "import './z.ts';"),
      file('src/a/z.ts'),
    ]),
  ).toEqual([]);
});

test('words are found where they are code, not where they are talked about', () => {
  const spoken = file(
    'src/gateway/a.ts',
    "// any, process.env, socket.send(\nconst text = 'any: any process.env .send('; Promise.any([]);",
  );
  expect([...environmentReads([spoken]), ...strayingSends([spoken])]).toEqual([]);
  expect(environmentReads([file('src/a/x.ts', "process.env['X']"), file('src/b/x.ts', "process['env']")])).toHaveLength(
    2,
  );
  expect(environmentReads([file('src/platform/config.ts', 'process.env.X')])).toEqual([]);
  expect(strayingSends([file('src/gateway/a.ts', "socket.send('x'); socket?.send('y')")])).toHaveLength(2);
  expect(
    strayingSends([
      file('src/gateway/sockets/session.ts', "socket.send('x')"),
      file('src/loadtest/a.ts', "socket.send('x')"),
    ]),
  ).toEqual([]);
});

test('a queue or worker that is made without its options is found', () => {
  const made = (expression: string) =>
    fragileQueues([file('src/a/x.ts', `import { Worker } from 'bullmq';\n${expression}`)]);
  expect(made("new Worker('jobs', work, { connection, prefix });")).toEqual([
    expect.stringMatching(/^src\/a\/x\.ts:2: new Worker\(/),
  ]);
  expect(made("new Worker('jobs', work, { ...bullOptions({ connection, prefix }), concurrency: 1 });")).toEqual([]);
  expect(
    fragileQueues([file('src/a/x.ts', "import { Worker } from 'node:worker_threads';\nnew Worker('x');")]),
  ).toEqual([]);
});

test('empty names and long files are found', () => {
  const faults = (...paths: string[]) => emptyNames(paths.map((path) => file(path)));
  expect(
    faults('src/a/utils.ts', 'src/a/grab-helpers.ts', 'src/a/socketManager.ts', 'test/types.d.ts', 'lua/common.lua'),
  ).toHaveLength(5);
  expect(faults('src/rain/split.ts', 'src/grab/typesetter.ts', 'src/utility/pole.ts')).toEqual([]);
  const sized = (...lines: number[]) => longFiles(lines.map((n, i) => file(`file${i}`, 'x\n'.repeat(n))));
  expect(sized(401, 400, 1, 1, 1)).toEqual([expect.stringMatching(/^file0 has 401 lines/)]);
  expect(sized(100, 100, 1)).toEqual([expect.stringContaining('half of the files have 100 lines')]);
});

test('a Lua file without header parts, with other keys than it declares, or too long, is found', () => {
  const header = [
    '-- a.lua: do a thing.',
    '--',
    '-- KEYS[1] state    hash',
    '-- KEYS[2] packets  list',
    '-- ARGV    none',
    '-- RETURNS 1',
    '-- WHY     because',
    '',
    '',
  ].join('\n');
  const faults = (text: string) => untidyScripts([file('lua/a.lua', text)]);
  expect(faults(`${header}return redis.call('GET', KEYS[2])`)).toEqual([]);
  expect(faults(`${header}for i = 1, 2 do redis.call('DEL', KEYS[i]) end`)).toEqual([]);
  for (const part of ['a.lua:', 'ARGV', 'RETURNS', 'WHY'])
    expect(faults(`${header.replace(part, 'nothing')}return KEYS[2]`), part).toHaveLength(1);
  expect(faults(`${header}return KEYS[3]`)).toEqual([expect.stringContaining('declares 2 keys, the code uses 3')]);
  expect(faults(`${header}return KEYS[1] -- not KEYS[2]`)).toEqual([expect.stringContaining('the code uses 1')]);
  expect(faults(`${header}return KEYS[2] .. KEYS[#KEYS]`)).toEqual([expect.stringContaining('nobody can count')]);
  expect(faults(`${header}redis.call('GET', 'rain:' .. ARGV[1], KEYS[2])`)).toEqual([
    expect.stringContaining('a key is built here'),
  ]);
  expect(faults(`${header}local a = KEYS[2]\n${'a = a\n'.repeat(80)}`)).toEqual([
    expect.stringContaining('81 lines of code'),
  ]);
  expect(faults(`${header}return KEYS[2] -- ${'a'.repeat(103)}`)).toEqual([expect.stringContaining('has 121 columns')]);
});

test('a word that was replaced is found in a name of each kind, in prose and in a path', () => {
  const found = (text: string, path = 'src/a/x.ts') => goneWords([file(path, text)]).length;
  for (const text of [
    'const purse = 1;',
    'openPurse()',
    'PURSE_MAX',
    "'purse-button'",
    '// a purse',
    "code: 'had_enough'",
    'laid_to_rest: 1',
  ])
    expect(found(text), text).toBe(1);
  expect(found('', 'src/wicket/x.ts')).toBe(1);
  expect(
    ['const wallet = 1;', 'deskew(help)', 'proportional', '// had enough of it'].map((text) => found(text)),
  ).toEqual([0, 0, 0, 0]);
});
