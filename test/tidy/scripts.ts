import type { SourceFile, Violation } from './sourceFile.ts';

const CODE_LINES_MAX = 80;
const COLUMNS_MAX = 120;

/** STYLE 7: a Lua file is a page with a header, its keys declared, counted and passed in. */
export function untidyScripts(files: readonly SourceFile[]): Violation[] {
  return files.flatMap(({ path, text }) => [
    ...headerFaults(path, text),
    ...keyFaults(path, text),
    ...lengthFaults(path, text),
    ...widthFaults(path, text),
  ]);
}

function headerFaults(path: string, text: string): Violation[] {
  const header = headerOf(text);
  const name = path.split('/').at(-1)!;
  const faults: Violation[] = [];
  if (!new RegExp(`^-- ${name.replace('.', '\\.')}: \\S.*\\.`).test(header[0] ?? '')) {
    faults.push(`${path}: the first line is to be "-- ${name}: <its purpose, one sentence>."`);
  }
  for (const part of ['KEYS', 'ARGV', 'RETURNS', 'WHY']) {
    if (!header.some((line) => new RegExp(`^-- ${part}(\\[\\d+\\])?\\s+\\S`).test(line))) {
      faults.push(`${path}: the header has no ${part}; see lua/README.md for its form ("none" is an answer)`);
    }
  }
  return faults;
}

/** The comment lines the file begins with. */
function headerOf(text: string): string[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  return end < 0 ? lines : lines.slice(0, end);
}

function keyFaults(path: string, text: string): Violation[] {
  const declared = headerOf(text)
    .map((line) => /^-- KEYS\[(\d+)\]/.exec(line)?.[1])
    .filter((n) => n !== undefined)
    .map(Number);
  const faults = declared.some((n, i) => n !== i + 1)
    ? [`${path}: the header lists KEYS out of order: ${declared.join(', ')}`]
    : [];
  const used = usedKeys(codeOf(text).join('\n'));
  if (used === undefined)
    return [...faults, `${path}: nobody can count its keys; index KEYS by a number, or by a loop between two numbers`];
  if (used !== declared.length) {
    faults.push(
      `${path}: the header declares ${declared.length} keys, the code uses ${used}; callers count the header, so list each as "-- KEYS[n] <name>"`,
    );
  }
  const builds = /redis\.p?call\(\s*'\w+'\s*,\s*['"]/.test(codeOf(text).join('\n'));
  return builds
    ? [...faults, `${path}: a key is built here; pass it in as KEYS, or Redis Cluster cannot route the call`]
    : faults;
}

/** The highest index of KEYS; a loop `for i = 1, 7 do … KEYS[i]` counts to its end. */
function usedKeys(code: string): number | undefined {
  const indexes = [...code.matchAll(/KEYS\[([^\]]+)\]/g)].map((match) => match[1]!.trim());
  const numbers = indexes.map((index) => {
    if (/^\d+$/.test(index)) return Number(index);
    const loop = new RegExp(`for\\s+${index.replace(/\W/g, '\\$&')}\\s*=\\s*\\d+\\s*,\\s*(\\d+)`).exec(code);
    return loop ? Number(loop[1]) : undefined;
  });
  return numbers.some((n) => n === undefined) ? undefined : Math.max(0, ...numbers.map(Number));
}

function lengthFaults(path: string, text: string): Violation[] {
  const lines = codeOf(text).length;
  if (lines <= CODE_LINES_MAX) return [];
  return [
    `${path} has ${lines} lines of code, at most ${CODE_LINES_MAX} are allowed; leave here what decides, and prepare and report outside`,
  ];
}

/** The formatter does not know Lua. */
function widthFaults(path: string, text: string): Violation[] {
  return text
    .split('\n')
    .flatMap((line, i) =>
      [...line].length > COLUMNS_MAX
        ? [`${path}:${i + 1} has ${[...line].length} columns, at most ${COLUMNS_MAX} are allowed`]
        : [],
    );
}

/** Lines with code on them, without what is said about them. */
function codeOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/--.*$/, '').trimEnd())
    .filter((line) => line !== '');
}
