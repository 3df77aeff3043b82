export function element<E extends HTMLElement = HTMLElement>(selector: string): E {
  return document.querySelector<E>(selector)!;
}

/** A new element of text. User input becomes text, never markup. */
export function textElement(className: string, text: string): HTMLElement {
  const span = document.createElement('span');
  span.className = className;
  span.textContent = text;
  return span;
}

/** Not `replaceChildren`, which older browsers lack. */
export function setChildren(parent: Element, ...children: Node[]): void {
  parent.textContent = '';
  parent.append(...children);
}

/** Writes only if the text has changed, because screen readers announce every write. */
export function write(selector: string, text: string): void {
  const target = element(selector);
  if (target.textContent !== text) target.textContent = text;
}
