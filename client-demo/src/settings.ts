/** What the player has chosen for this page; kept where the browser allows it, else until the page is left. */
export interface Setting {
  readonly on: boolean;
  /** @returns what holds from now on */
  turn(): boolean;
}

/** On until somebody turns it off. @param name of the key under which the browser keeps it */
export function openSetting(name: string, store: Storage | undefined = localStore()): Setting {
  const key = `rain.${name}`;
  let on = read(store, key) !== 'off';
  return {
    get on() { return on; },
    turn() {
      on = !on;
      try {
        store?.setItem(key, on ? 'on' : 'off');
      } catch { /* full, or forbidden: it holds for this visit */ }
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

/** Even to name it is forbidden in some browsers. */
function localStore(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
