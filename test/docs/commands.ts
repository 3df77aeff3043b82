import type { Page } from './pages.ts';

/** A command as it stands in a page. */
export interface WrittenCommand {
  /** `docs/how-to/runbook.md:14` */
  at: string;
  /** `['rain', 'audit', '--all']` */
  words: readonly string[];
  /** As it is written. */
  text: string;
}

/** `npm start -- --once` starts `rain up --once`; a clone has no `rain`, only npm's script of that name. */
const SPELLINGS: readonly [npm: readonly string[], rain: readonly string[]][] = [
  [['npm', 'run', '--silent', 'rain', '--'], ['rain']],
  [['npm', 'run', 'rain', '--'], ['rain']],
  [
    ['npm', 'start', '--'],
    ['rain', 'up'],
  ],
  [
    ['npm', 'start'],
    ['rain', 'up'],
  ],
];

/**
 * Every command of the shell blocks of a page, in order: joined ones apart, without comments, redirections and
 * variables.
 */
export function commandsIn({ path, text }: Page): WrittenCommand[] {
  const lines = text.split('\n');
  let fence: string | undefined;
  return lines.flatMap((line, index) => {
    const mark = /^```(.*)$/.exec(line)?.[1];
    if (mark !== undefined) {
      fence = fence === undefined ? mark : undefined;
      return [];
    }
    const shell = fence === undefined ? /^ {4}(?:rain|npm|npx|node) /.test(line) : /^(sh|bash|shell)$/.test(fence);
    return shell
      ? split(line).map((words) => ({ at: `${path}:${index + 1}`, words: asRain(words), text: line.trim() }))
      : [];
  });
}

function asRain(words: readonly string[]): readonly string[] {
  const spelling = SPELLINGS.find(([npm]) => npm.every((word, i) => words[i] === word));
  return spelling ? [...spelling[1], ...words.slice(spelling[0].length)] : words;
}

/** One line of a shell, as far as pages need it. */
export function split(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token, quoted, single] of line.matchAll(
    /"([^"]*)"|'([^']*)'|#.*$|&&|[;|]|[<>]+ ?[^\s;|&]+|[^\s;|<>]+/g,
  )) {
    if (token.startsWith('#')) break;
    if (/^(&&|[;|])$/.test(token)) commands.push([]);
    else if (!/^[<>]/.test(token)) commands.at(-1)!.push(quoted ?? single ?? token);
  }
  return commands
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))))
    .filter((words) => words.length > 0);
}
