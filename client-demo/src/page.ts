/** The element of this selector, which must exist. */
export function element<E extends HTMLElement = HTMLElement>(selector: string): E {
  return document.querySelector<E>(selector)!;
}

/** Writes only if the text has changed, because screen readers announce every write. */
export function write(selector: string, text: string): void {
  const target = element(selector);
  if (target.textContent !== text) target.textContent = text;
}
