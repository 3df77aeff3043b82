import { endWithParent } from './parent.ts';

/**
 * The one place where a process ends.
 *
 *     running ──SIGINT, SIGTERM, parent gone, end()──▶ closing: last opened, first closed ──▶ exit
 *                                                        └──deadline, or a second signal──▶ exit at once
 */
export interface Shutdown {
  /** Has `close` called at the end; what was opened last is closed first. The name is for reports. */
  onClose(name: string, close: () => void | Promise<void>): void;
  /** Aborted as soon as the end begins: for loops and waits that should not outlast it. */
  signal: AbortSignal;
  /** Closes everything and exits with `code`; when the end has already begun, its own code stands. */
  end(code: number): Promise<never>;
}

export interface ShutdownOptions {
  /** For all closers together. Longer than a child is given to stop, see `children.ts`. */
  deadlineMs?: number;
  /** Told what went wrong while closing, one sentence each. */
  report?: (sentence: string) => void;
  /** Exit code when a signal asked for the end: what a person stopped has not failed. */
  codeOnSignal?: number;
}

/**
 * A terminal sends Ctrl-C to the whole process group and npm forwards it once more, so one keystroke can arrive as two
 * signals. A second one counts as impatience only after this time.
 */
const SAME_KEYSTROKE_MS = 400;

export function createShutdown({ deadlineMs = 20_000, report = () => {}, codeOnSignal = 0 }: ShutdownOptions = {}): Shutdown {
  const closers: { name: string; close: () => void | Promise<void> }[] = [];
  const begun = new AbortController();
  let begunAt = 0;
  let ending: Promise<never> | undefined;

  async function closeAll(): Promise<void> {
    // What is opened while this goes on, since its start was under way when the end began, comes next.
    for (let closer = closers.pop(); closer; closer = closers.pop()) {
      try {
        await closer.close();
      } catch (error) {
        report(`closing the ${closer.name} failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  function end(code: number): Promise<never> {
    return ending ??= (async () => {
      begunAt = performance.now();
      setTimeout(() => {
        report(`not everything was closed within ${deadlineMs / 1_000} s`);
        process.exit(code || 1);
      }, deadlineMs).unref();
      begun.abort();
      await closeAll();
      return process.exit(code);
    })();
  }

  for (const [signal, number] of [['SIGINT', 2], ['SIGTERM', 15]] as const) {
    process.on(signal, () => {
      if (!ending) void end(codeOnSignal);
      else if (performance.now() - begunAt > SAME_KEYSTROKE_MS) process.exit(128 + number);
    });
  }
  endWithParent(() => end(1), deadlineMs);

  return {
    signal: begun.signal,
    onClose(name, close) { closers.push({ name, close }); },
    end,
  };
}
