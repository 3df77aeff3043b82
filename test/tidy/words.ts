import { isNode, place, walk, type SourceFile, type SyntaxNode, type Violation } from './sourceFile.ts';

/** Names that say nothing of what is inside, so that everything ends up there. */
const EMPTY_NAMES = /^(utils?|helpers?|types?|common|managers?|interfaces?)$/;

/** The one reader, and what runs before the packages are there with which it reads. */
const READS_ENVIRONMENT = /^src\/(platform\/config\.ts|bin\/setup\/)/;

/** STYLE 11: a file is named after its noun. */
export function emptyNames(files: readonly SourceFile[]): Violation[] {
  return files.flatMap(({ path }) => {
    const words = path
      .split('/')
      .at(-1)!
      .replace(/\..*$/, '')
      .split(/[-_.]|(?=[A-Z])/)
      .map((word) => word.toLowerCase());
    const empty = words.find((word) => EMPTY_NAMES.test(word));
    return empty
      ? [
          `${path}: "${empty}" names no thing; call the file after the one noun in it, and split it when there are several`,
        ]
      : [];
  });
}

/** Configuration is read and checked once, in one place. */
export function environmentReads(files: readonly SourceFile[]): Violation[] {
  const elsewhere = files.filter(({ path }) => !READS_ENVIRONMENT.test(path));
  return findNodes(
    elsewhere,
    (node) => isMember(node, 'env', 'process'),
    (where) =>
      `${where}: process.env; ask loadConfig() of src/platform/config.ts, or childEnvironment() to start a process`,
  );
}

/** STYLE 2: the session has the only `send`. */
export function strayingSends(files: readonly SourceFile[]): Violation[] {
  const others = files.filter(
    ({ path }) => path.startsWith('src/gateway/') && path !== 'src/gateway/sockets/session.ts',
  );
  return findNodes(
    others,
    (node) => node.type === 'CallExpression' && isNode(node['callee']) && isMember(node['callee'], 'send'),
    (where) =>
      `${where}: .send( on a socket; hand the message to the session (src/gateway/sockets/session.ts), the only one that knows the limits`,
  );
}

function findNodes(
  files: readonly SourceFile[],
  wanted: (node: SyntaxNode) => boolean,
  sentence: (where: string) => Violation,
): Violation[] {
  return files.flatMap((file) => {
    const found: Violation[] = [];
    walk(file, (node) => {
      if (wanted(node)) found.push(sentence(place(file, node.start)));
    });
    return found;
  });
}

/** `<object>.<name>` or `<object>['<name>']`. */
function isMember(node: SyntaxNode, name: string, object?: string): boolean {
  if (node.type !== 'MemberExpression') return false;
  const { property, object: owner } = node;
  const named = isNode(property) && (property['name'] === name || property['value'] === name);
  return named && (object === undefined || (isNode(owner) && owner['name'] === object));
}
