/** The parts of a PromQL expression: a figure, and the labels by which it picks or groups it. */
interface Asked {
  names: string[];
  labels: string[];
}

const KEYWORDS = new Set([
  'and',
  'or',
  'unless',
  'on',
  'ignoring',
  'by',
  'without',
  'group_left',
  'group_right',
  'offset',
  'bool',
  'inf',
  'nan',
]);
const FUNCTIONS = new Set([
  'sum',
  'min',
  'max',
  'avg',
  'count',
  'rate',
  'increase',
  'histogram_quantile',
  'time',
  'min_over_time',
  'max_over_time',
  'absent',
]);
const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);

const TOKEN =
  /\s+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[[^\]]*\]|\$\w+|\d+(?:\.\d+)?(?:e[+-]?\d+)?|[A-Za-z_:][A-Za-z0-9_:]*|=~|!~|!=|==|>=|<=|[-+*/%^(){}=<>,]/y;

/**
 * Reads an expression token by token: a word is a function before a bracket, a label within braces or after a grouping
 * word, and a figure everywhere else.
 * @throws on what is no PromQL, and on functions that are not known here
 */
export function askedBy(expression: string): Asked {
  const tokens = tokensOf(expression);
  const [names, labels] = [new Set<string>(), new Set<string>()];
  let inBraces = false;
  let grouping = false;
  tokens.forEach((token, i) => {
    if (token === '{') inBraces = true;
    else if (token === '}') inBraces = false;
    else if (token === ')') grouping = false;
    else if (GROUPING.has(token)) grouping = tokens[i + 1] === '(';
    else if (!/^[A-Za-z_:]/.test(token) || KEYWORDS.has(token.toLowerCase())) return;
    else if (inBraces || grouping) labels.add(token);
    else if (FUNCTIONS.has(token)) return;
    else if (tokens[i + 1] === '(') throw new SyntaxError(`${token}( is no function that is known here: ${expression}`);
    else names.add(token);
  });
  return { names: [...names], labels: [...labels] };
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(expression);
    if (!found) throw new SyntaxError(`not PromQL from ${at}: ${expression}`);
    if (found[0].trim() !== '') tokens.push(found[0]);
  }
  return tokens;
}
