/** The part of a browser's page that is used here; Node has none of it. */
interface Page {
  addEventListener?(type: 'online', listener: () => void, options: { signal: AbortSignal }): void;
  document?: {
    readonly visibilityState: string;
    addEventListener(type: 'visibilitychange', listener: () => void, options: { signal: AbortSignal }): void;
  };
}

/**
 * Calls the listener when the device is online again or the page becomes visible, so that a reconnect need not wait.
 */
export function onReturn(listener: () => void, signal: AbortSignal): void {
  const { addEventListener, document } = globalThis as unknown as Page;
  if (!document) return;
  addEventListener?.call(globalThis, 'online', listener, { signal });
  document.addEventListener(
    'visibilitychange',
    () => {
      if (document.visibilityState === 'visible') listener();
    },
    { signal },
  );
}
