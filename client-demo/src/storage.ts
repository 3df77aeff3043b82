// If the browser forbids storage, even reading `localStorage` throws. The page works without it.

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

export function forget(storage: () => Storage, key: string): void {
  try {
    storage().removeItem(key);
  } catch {
    // Nothing is stored there.
  }
}
