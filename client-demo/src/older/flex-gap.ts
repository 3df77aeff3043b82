/** Marks the page of a browser that ignores `gap` in a flex box: its style sheets have margins for it. */
export function markMissingGap(): void {
  const box = document.createElement('div');
  box.style.cssText = 'position: absolute; display: flex; flex-direction: column; row-gap: 1px';
  for (let i = 0; i < 2; i++) box.append(document.createElement('div'));
  document.body.append(box);
  document.documentElement.toggleAttribute('data-no-gap', box.scrollHeight === 0);
  box.remove();
}
