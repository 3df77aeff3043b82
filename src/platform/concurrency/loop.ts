import { setTimeout as sleep } from 'node:timers/promises';

/** Runs one round after the other until it is closed. */
export interface Loop {
  /** Ends the pause, or waits for the current round. Harmless to repeat. */
  close(): Promise<void>;
}

/** @param round returns the pause before the next round, ms; must not reject. `close` aborts the signal */
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
