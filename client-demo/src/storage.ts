// If the browser forbids storage, even reading `localStorage` throws. The page works without it.

export function recall(storage: () => Storage, key: string): string | undefined {
  try {
    return storage().getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(storage: () => Storage, key: string, text: string): void {
  try {
    storage().setItem(key, text);
  } catch { /* full or forbidden */ }
}
