/** An element from markup that is written in this page; what users or shops have written is put in as text. */
export function fromMarkup<E extends Element = HTMLElement>(markup: string): E {
  const template = document.createElement('template');
  template.innerHTML = markup;
  return template.content.firstElementChild as E;
}

export function part<E extends Element = HTMLElement>(root: ParentNode, selector: string): E {
  return root.querySelector<E>(selector)!;
}

/** Writes only what has changed, because screen readers announce every write. */
export function put(root: ParentNode, selector: string, text: string): void {
  const target = part(root, selector);
  if (target.textContent !== text) target.textContent = text;
}

/** Writes text, or hides the element where there is none. */
export function putOrHide(root: ParentNode, selector: string, text: string | undefined): void {
  put(root, selector, text ?? '');
  part(root, selector).hidden = text === undefined || text === '';
}
