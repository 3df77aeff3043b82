import type { Shutdown } from '../../src/platform/process/shutdown.ts';

/**
 * For a server that a test opens in its own process as its command does: it is ended by the test, and no signal is
 * taken.
 */
export function openShutdown(): { shutdown: Shutdown; close(): Promise<void> } {
  const begun = new AbortController();
  const closers: Parameters<Shutdown['onClose']>[1][] = [];
  return {
    shutdown: {
      signal: begun.signal,
      onClose(_name, close) {
        closers.push(close);
      },
      opening: (open) => open(),
      end: () => {
        throw new Error('a server ends by its signals, and these by their test');
      },
    },
    async close() {
      begun.abort();
      for (const close of closers.reverse()) await close(5_000);
    },
  };
}
