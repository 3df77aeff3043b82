/** The part of a browser's page that is used here; Node has none of it. */
type Listener = (event: { persisted?: boolean }) => void;
interface Target {
  addEventListener(type: string, listener: Listener): void;
  removeEventListener(type: string, listener: Listener): void;
}
interface Page extends Partial<Target> {
  document?: Target & { readonly visibilityState: string };
}

/**
 * Calls the listener when the device is online again, or the page is visible again or is taken out of the browser's
 * cache: the phone may have slept meanwhile.
 */
export function onReturn(listener: () => void, signal: AbortSignal): void {
  const page = globalThis as unknown as Page;
  const { document } = page;
  if (!document) return;
  // Not by the option `signal`: older browsers ignore it.
  const listen = (target: Partial<Target>, type: string, heard: Listener) => {
    target.addEventListener?.(type, heard);
    signal.addEventListener('abort', () => target.removeEventListener?.(type, heard));
  };
  listen(page, 'online', listener);
  // A page that is shown for the first time has not slept.
  listen(page, 'pageshow', ({ persisted }) => {
    if (persisted) listener();
  });
  listen(document, 'visibilitychange', () => {
    if (document.visibilityState === 'visible') listener();
  });
}
