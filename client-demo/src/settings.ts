import { recall, remember } from './storage.ts';

export type Setting = ReturnType<typeof openSetting>;

/**
 * Stored if the browser allows it, otherwise kept until the page is closed. On by default.
 * @param name part of the storage key
 */
export function openSetting(name: string, storage = () => localStorage) {
  const key = `rain.${name}`;
  let on = recall(storage, key) !== 'off';
  return {
    get on(): boolean {
      return on;
    },
    turn(): boolean {
      on = !on;
      remember(storage, key, on ? 'on' : 'off');
      return on;
    },
  };
}

export function showToggle(
  button: HTMLButtonElement,
  label: string,
  setting: Setting,
  onTurn: (on: boolean) => void,
): void {
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
