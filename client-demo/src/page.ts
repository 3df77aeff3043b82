/** The part of the page of this selector; there is always one. */
export function element<E extends HTMLElement = HTMLElement>(selector: string): E {
  return document.querySelector<E>(selector)!;
}

/** Touches the page only when the text is another one: a screen reader reads what is written. */
export function write(selector: string, text: string): void {
  const target = element(selector);
  if (target.textContent !== text) target.textContent = text;
}
