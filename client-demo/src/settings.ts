/** A setting of the player. Stored if the browser allows it, otherwise kept until the page is closed. */
export interface Setting {
  readonly on: boolean;
  /** @returns the new value */
  turn(): boolean;
}

/** On by default. @param name part of the storage key */
export function openSetting(name: string, store: Storage | undefined = localStore()): Setting {
  const key = `rain.${name}`;
  let on = read(store, key) !== 'off';
  return {
    get on() { return on; },
    turn() {
      on = !on;
      try {
        store?.setItem(key, on ? 'on' : 'off');
      } catch { /* storage is full or forbidden: the setting lasts for this visit */ }
      return on;
    },
  };
}

function read(store: Storage | undefined, key: string): string | null {
  try {
    return store?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

/** In some browsers even reading `localStorage` throws. */
function localStore(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
