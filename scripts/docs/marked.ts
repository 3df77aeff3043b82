/**
 * Puts generated text between the marks of a page: `<!-- name: … -->` and `<!-- /name -->`, each on its own line.
 * @throws when the page has no such marks, so that a generated part cannot disappear unnoticed
 */
export function fillMarked(page: string, name: string, made: string): string {
  const marked = new RegExp(`(<!-- ${name}: [^\\n]*\\n)[^]*?(\\n<!-- /${name} -->)`);
  if (!marked.test(page)) throw new Error(`the page has no part "${name}"`);
  return page.replace(marked, (_, open: string, close: string) => `${open}${made}${close}`);
}

/** The same within a line: `<!--name-->…<!--/-->`. */
export function fillInline(page: string, name: string, made: string): string {
  const marked = new RegExp(`(<!--${name}-->)[^]*?(<!--/-->)`);
  if (!marked.test(page)) throw new Error(`the page has no place "${name}"`);
  return page.replace(marked, (_, open: string, close: string) => `${open}${made}${close}`);
}
