// If the browser forbids storage, even reading `localStorage` throws. The page works without it.
import { isObject } from './api.ts';

export function recall(storage: () => Storage, key: string): string | undefined {
  try {
    return storage().getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @returns false: it is full or forbidden */
export function remember(storage: () => Storage, key: string, text: string): boolean {
  try {
    storage().setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

function forget(storage: () => Storage, key: string): void {
  try {
    storage().removeItem(key);
  } catch {
    // Nothing is stored there.
  }
}

/**
 * The same for what the page cannot do without, such as the token of a link, which is not in the address any more.
 * Where storage is forbidden, the entry of the history keeps it: a reload does not lose it, and no server sees it.
 */
export const surely = {
  recall: (storage: () => Storage, key: string): string | undefined => unstored().get(key) ?? recall(storage, key),
  remember(storage: () => Storage, key: string, text: string): void {
    if (remember(storage, key, text)) setUnstored(key, undefined);
    else setUnstored(key, text);
  },
  forget(storage: () => Storage, key: string): void {
    setUnstored(key, undefined);
    forget(storage, key);
  },
};

let memory: Map<string, string> | undefined;

function unstored(): Map<string, string> {
  if (memory) return memory;
  const { unstored: kept }: { unstored?: unknown } = isObject(history.state) ? history.state : {};
  return (memory = new Map(isObject(kept) ? (Object.entries(kept) as [string, string][]) : []));
}

function setUnstored(key: string, text: string | undefined): void {
  if (unstored().get(key) === text) return;
  if (text === undefined) unstored().delete(key);
  else unstored().set(key, text);
  const state: object = isObject(history.state) ? history.state : {};
  history.replaceState({ ...state, unstored: Object.fromEntries(unstored()) }, '');
}
