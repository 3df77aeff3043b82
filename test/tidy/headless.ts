import { commentBlocks, messageBlocks, proseBlocks, type Block } from './prose.ts';
import { readTree, type SourceFile, type Violation } from './sourceFile.ts';

/** A sentence that begins without a named thing, and its file and line. */
interface Headless {
  where: string;
  sentence: string;
}

/** How many there are of each kind, so that they only become fewer. */
const LIMITS = { comments: 0, 'comments of tests': 0, 'log messages': 0, documents: 20, changelog: 0 };

const HEAD = /^(?:(?:what|who|whoever|whatever|of|those)\b(?! course\b)|that (?:is|are|was|of)\b|that's\b)/i;
const LISTED_MAX = 20;

const COMMENTED = /\.(tsx?|mjs|css|lua)$/;
const OURS = ['src', 'lua', 'client-console', 'client-demo', 'bench', 'scripts', 'deploy', 'examples'];
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs',
  'bench/README.md',
  'src/README.md',
  'lua/README.md',
];

/** The subject of a sentence is a thing that has a name: no sentence begins with What, Who, Of, Those or That is. */
export function headlessSentences(root: string): Violation[] {
  const found = headlessOf(root);
  return Object.entries(LIMITS).flatMap(([kind, limit]) => ratchet(kind, found[kind as keyof typeof LIMITS], limit));
}

function headlessOf(root: string): Record<keyof typeof LIMITS, Headless[]> {
  const find = (folders: readonly string[], ending: RegExp, blocks: (file: SourceFile) => Block[]) =>
    readTree(root, folders, ending).flatMap((file) => headlessIn(file, blocks(file)));
  return {
    comments: find(OURS, COMMENTED, commentBlocks),
    'comments of tests': find(['test'], COMMENTED, commentBlocks),
    'log messages': find(['src'], /\.(tsx?|mjs)$/, messageBlocks),
    documents: find(PAGES, /\.md$/, proseBlocks),
    changelog: find(['CHANGELOG.md'], /\.md$/, proseBlocks),
  };
}

/** Fewer than the limit is a fault as well: the limit falls with the count. */
export function ratchet(kind: string, found: readonly Headless[], limit: number): Violation[] {
  if (found.length === limit) return [];
  if (found.length < limit) {
    return [`${kind}: ${found.length} sentences begin headless; lower the limit to ${found.length}`];
  }
  return [
    `${kind}: ${found.length} sentences begin headless, at most ${limit} may; begin with the thing that does it`,
    ...found.slice(0, LISTED_MAX).map(({ where, sentence }) => `${where}: ${sentence.slice(0, 80)}`),
  ];
}

export function headlessIn({ path }: SourceFile, blocks: readonly Block[]): Headless[] {
  return blocks.flatMap((block) =>
    sentencesOf(block)
      .filter(({ text }) => HEAD.test(text) && !text.endsWith('?'))
      .map(({ line, text }) => ({ where: `${path}:${line}`, sentence: text })),
  );
}

/** The sentences of a block, joined over its lines; `line` is where each begins. */
function sentencesOf(block: Block): { line: number; text: string }[] {
  const joined = block.map(({ text }) => text.trim()).join('\n');
  return [
    ...joined.matchAll(/(?:^|(?<=[.!?][”"')*_`]*\s))[\s*_"'“(>[]*(\S[^]*?)(?=[.!?][”"')*_`]*(?:\s|$)|$)([.!?]?)/g),
  ].map((match) => ({
    line: block[joined.slice(0, match.index + match[0].indexOf(match[1]!)).split('\n').length - 1]!.line,
    text: (match[1]! + match[2]!).replaceAll(/\s+/g, ' '),
  }));
}
