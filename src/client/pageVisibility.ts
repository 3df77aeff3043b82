/** As much of a browser's page as is used here; in Node there is none of it. */
interface Page {
  addEventListener?(type: 'online', listener: () => void, options: { signal: AbortSignal }): void;
  document?: {
    readonly visibilityState: string;
    addEventListener(type: 'visibilitychange', listener: () => void, options: { signal: AbortSignal }): void;
  };
}

/** Calls when the phone is back in a network, or the page before its user's eyes: moments at which waiting on is foolish. */
export function onReturn(listener: () => void, signal: AbortSignal): void {
  const { addEventListener, document } = globalThis as unknown as Page;
  if (!document) return;
  addEventListener?.call(globalThis, 'online', listener, { signal });
  document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') listener(); }, { signal });
}
