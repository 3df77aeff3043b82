import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseSync } from 'vite';

/** A file of the tree; `path` is relative to the root, with slashes. */
export interface SourceFile {
  path: string;
  text: string;
}

/** The fault, its file, and the way out; one sentence. */
export type Violation = string;

/** A node of the syntax tree (ESTree with types), as far as looking around in it goes. */
export interface SyntaxNode {
  type: string;
  start: number;
  [property: string]: unknown;
}

/** Made by a generator, not by us. */
const GENERATED = /(^|\/)(generated|node_modules|dist)(\/|$)/;

/** All files of these folders whose names end so, in order. A folder that is not there has none. */
export function readTree(root: string, folders: readonly string[], ending: RegExp): SourceFile[] {
  const files: SourceFile[] = [];
  const visit = (path: string) => {
    const name = relative(root, path).split(sep).join('/');
    if (GENERATED.test(name)) return;
    if (statSync(path).isDirectory()) for (const entry of readdirSync(path).sort()) visit(join(path, entry));
    else if (ending.test(name)) files.push({ path: name, text: readFileSync(path, 'utf8') });
  };
  for (const folder of folders) if (statSync(join(root, folder), { throwIfNoEntry: false })) visit(join(root, folder));
  return files;
}

/**
 * Calls `see` with every node of the file. A file that does not parse is the compiler's affair, and fails here, too.
 */
export function walk(file: SourceFile, see: (node: SyntaxNode) => void): void {
  const { program, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new SyntaxError(`${file.path}: ${errors[0]!.message}`);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) {
      see(value);
      Object.values(value).forEach(visit);
    }
  };
  visit(program);
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** `src/rain/money.ts:12` */
export function place(file: SourceFile, offset: number): string {
  return `${file.path}:${file.text.slice(0, offset).split('\n').length}`;
}
