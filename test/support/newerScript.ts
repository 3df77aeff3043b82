import { parseAst } from 'vite';

/** Methods that Chromium 80 or Safari 14.1 lack. A call with `?.` asks first. */
const METHODS = new Set(
  (
    'at findLast findLastIndex toSorted toReversed toSpliced replaceAll isWellFormed hasOwn groupBy withResolvers any randomUUID replaceChildren ' +
    'roundRect createConicGradient checkVisibility canParse requestFullscreen showPopover setHTML moveBefore requestIdleCallback structuredClone ' +
    'getOrInsert union intersection difference isSubsetOf fromAsync toHex toBase64 supportedValuesOf'
  ).split(' '),
);
const NAMES = new Set(
  'structuredClone WeakRef FinalizationRegistry AggregateError OffscreenCanvas BroadcastChannel Segmenter createImageBitmap'.split(
    ' ',
  ),
);

type Node = Record<string, unknown> & { type: string };
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';
const isPrivate = (value: unknown): boolean => isNode(value) && value.type === 'PrivateIdentifier';
const nameOf = (value: unknown): string | undefined =>
  isNode(value) && (value.type === 'Identifier' || value.type === 'PrivateIdentifier')
    ? String(value['name'])
    : undefined;

/** Syntax and APIs in a script that are newer than the oldest browsers of the pages. */
export function newerIn(code: string): string[] {
  const found = new Set<string>();
  const visit = (node: Node, inFunction: boolean) => {
    const newer = CHECKS[node.type]?.(node, inFunction);
    if (newer) found.add(newer);
    const inside = inFunction || /Function|PropertyDefinition/.test(node.type);
    for (const value of Object.values(node).flat()) if (isNode(value)) visit(value, inside);
  };
  visit(parseAst(code) as unknown as Node, false);
  return [...found].sort();
}

/** By type of node. */
const CHECKS: Readonly<Record<string, (node: Node, inFunction: boolean) => string | false | undefined>> = {
  StaticBlock: () => 'static {}',
  AwaitExpression: (_, inFunction) => !inFunction && 'await at the top',
  AssignmentExpression: ({ operator }) => /^(?:\?\?|\|\||&&)=$/.test(String(operator)) && String(operator),
  MethodDefinition: ({ key }) => isPrivate(key) && 'private methods',
  BinaryExpression: ({ left }) => isPrivate(left) && '#name in',
  Identifier: ({ name }) => NAMES.has(String(name)) && String(name),
  NewExpression: (node) =>
    nameOf(node['callee']) === 'Worker' && /"value":"module"/.test(JSON.stringify(node)) && 'module worker',
  Literal({ regex }) {
    const { pattern, flags } = (regex ?? { pattern: '', flags: '' }) as { pattern: string; flags: string };
    return (/\(\?<[=!]/.test(pattern) || /[dv]/.test(flags)) && `/${pattern}/`;
  },
  CallExpression({ callee, optional }) {
    if (!isNode(callee) || callee.type !== 'MemberExpression' || optional === true) return undefined;
    const method = nameOf(callee['property']);
    if (nameOf(callee['object']) === 'AbortSignal') return `AbortSignal.${method}`;
    return method !== undefined && METHODS.has(method) && `.${method}()`;
  },
};
