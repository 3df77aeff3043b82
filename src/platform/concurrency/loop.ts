import { setTimeout as sleep } from 'node:timers/promises';

/** Work that goes on until it is closed. */
export interface Loop {
  /** Ends the pause, or waits for the round that is under way. Harmless to repeat. */
  close(): Promise<void>;
}

/**
 * Goes round until closed, one round after the other.
 *
 * @param round says how long to rest afterwards, ms; must not reject. The signal is aborted by `close`
 */
export function startLoop(round: (signal: AbortSignal) => Promise<number>): Loop {
  const closing = new AbortController();
  const { signal } = closing;
  const done = (async () => {
    while (!signal.aborted) await sleep(await round(signal), undefined, { signal }).catch(() => {});
  })();
  return {
    close() {
      closing.abort();
      return done;
    },
  };
}
