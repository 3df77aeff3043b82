import type { Setting } from './settings.ts';

/** A toggle button for a setting. */
export function showToggle(button: HTMLButtonElement, label: string, setting: Setting, onTurn: (on: boolean) => void): void {
  const show = () => button.setAttribute('aria-pressed', String(setting.on));
  button.setAttribute('aria-label', label);
  button.title = label;
  button.hidden = false;
  button.addEventListener('click', () => {
    const on = setting.turn();
    show();
    onTurn(on);
  });
  show();
}
