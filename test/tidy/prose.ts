import { parseSync } from 'vite';
import { isNode, walk, type SourceFile, type SyntaxNode } from './sourceFile.ts';

/** Prose between two blank lines, bullets or comments. Per line of it: the number in the file and the text. */
export type Block = { line: number; text: string }[];

/** A shorter cell is the heading of a column. */
const CELL_WORDS_MIN = 4;

/** Comments and docstrings of TypeScript, JavaScript, CSS and Lua; a tag or a part of a header begins a block. */
export function commentBlocks(file: SourceFile): Block[] {
  const blocks: Block[] = [];
  let end = -1;
  for (const { line, text, ownLine } of commentLines(file)) {
    const begins = /^(?:- |\* |\d+\. |@\w+|[A-Z]{3,}(?:\[\d+\])?\s{2,})/.test(text);
    const bare = text.replace(/^(?:- |\* |\d+\. |@(?:param|property) \S+ ?-?|@\w+|[A-Z]{3,}(?:\[\d+\])?\s{2,})/, '');
    if (bare.trim() === '') end = -1;
    else {
      if (begins || !ownLine || line !== end + 1) blocks.push([]);
      blocks.at(-1)!.push({ line, text: bare });
      end = line;
    }
  }
  return blocks;
}

/** Each line of each comment; `ownLine` where no code stands before it. */
function commentLines({ path, text }: SourceFile): { line: number; text: string; ownLine: boolean }[] {
  const comments = path.endsWith('.lua')
    ? [...text.matchAll(/--(?!\[\[)(.*)/g)].map((match) => ({ start: match.index, value: match[1]! }))
    : path.endsWith('.css')
      ? [...text.matchAll(/\/\*([^]*?)\*\//g)].map((match) => ({ start: match.index, value: match[1]! }))
      : parseSync(path, text).comments;
  return comments.flatMap(({ start, value }) => {
    const first = lineOf(text, start);
    const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
    return value.split('\n').map((line, at) => ({
      line: first + at,
      text: line.replace(/^\s*\*+/, '').trim(),
      ownLine: at > 0 || before.trim() === '',
    }));
  });
}

/** Paragraphs, bullets, headings and cells of Markdown, without its code. */
export function proseBlocks({ text }: SourceFile): Block[] {
  const blocks: Block[] = [];
  let fenced = false;
  let open = false;
  text.split('\n').forEach((line, at) => {
    if (/^\s*(?:>\s*)?```/.test(line)) {
      fenced = !fenced;
      open = false;
    } else if (fenced || line.trim() === '' || line.startsWith('<!--')) open = false;
    else if (/^\s*\|/.test(line)) {
      const cells = line.split(/(?<!\\)\|/).filter((cell) => cell.trim().split(/\s+/).length >= CELL_WORDS_MIN);
      blocks.push(...cells.map((cell) => [{ line: at + 1, text: cell }]));
      open = false;
    } else {
      const bare = line.replace(/^\s*(?:>\s*)?(?:[-*] |\d+\. |#+ )?/, '');
      if (!open || /^\s*(?:[-*] |\d+\. |#)/.test(line)) blocks.push([]);
      blocks.at(-1)!.push({ line: at + 1, text: bare });
      open = !line.startsWith('#');
    }
  });
  return blocks.filter((block) => block.some((line) => line.text.trim() !== ''));
}

/** The first text given to `log.info` and its like, and to `notify(terminal, …)`. */
export function messageBlocks(file: SourceFile): Block[] {
  const blocks: Block[] = [];
  walk(file, (node) => {
    if (node.type !== 'CallExpression' || !isTelling(node['callee'])) return;
    const texts = (node['arguments'] as SyntaxNode[]).map(textsOf).find((found) => found.length > 0) ?? [];
    for (const { start, text } of texts) blocks.push([{ line: lineOf(file.text, start), text }]);
  });
  return blocks;
}

function isTelling(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  if (callee.type === 'Identifier') return callee['name'] === 'notify';
  const { object, property } = callee as { object?: unknown; property?: unknown };
  if (!isNode(object) || !isNode(property) || !/^(?:info|warn|error|debug)$/.test(String(property['name'])))
    return false;
  return [object['name'], (object['property'] as SyntaxNode | undefined)?.['name']].some((name) => name === 'log');
}

/** The texts that this expression may be: both of `a ? 'x' : 'y'`, the beginning of `'x' + y`. */
function textsOf(node: SyntaxNode): { start: number; text: string }[] {
  const inner = (name: string) => textsOf(node[name] as SyntaxNode);
  if (node.type === 'Literal')
    return typeof node['value'] === 'string' ? [{ start: node.start, text: node['value'] }] : [];
  if (node.type === 'ConditionalExpression') return [...inner('consequent'), ...inner('alternate')];
  if (node.type === 'BinaryExpression') return inner('left');
  if (node.type !== 'TemplateLiteral') return [];
  const quasis = node['quasis'] as { value: { cooked: string } }[];
  return [{ start: node.start, text: quasis.map(({ value }) => value.cooked).join('…') }];
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
