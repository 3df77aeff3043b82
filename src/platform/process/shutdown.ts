import { createLifecycle, type Close } from './lifecycle.ts';
import { endWithParent } from './ipc.ts';

/**
 * The one place where a process ends.
 *
 *     running ──SIGINT, SIGTERM, parent gone, end()──▶ closing: last opened, first closed ──▶ exit
 *                                                        └──deadline, or a second signal──▶ exit at once
 */
export interface Shutdown {
  /**
   * Has `close` called at the end; what was opened last is closed first. The name is for reports. `leftMs` is what the one
   * deadline of all closers still leaves when its turn comes, less a little for whoever comes after it.
   */
  onClose(name: string, close: Close): void;
  /** Aborted as soon as the end begins: for loops and waits that should not outlast it. */
  signal: AbortSignal;
  /** Closes everything and exits with `code`; when the end has already begun, its own code stands. */
  end(code: number): Promise<never>;
}

/**
 * For all that a server process has to end, from the signal on. Below the 10 s after which Docker kills; a parent of ours
 * waits longer than this before it does, see `children.ts`.
 */
export const SERVER_DEADLINE_MS = 8_000;

interface ShutdownOptions {
  /** For all closers together. By default for a process whose children are stopped one after the other. */
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
/** Of the deadline, for letting go and leaving after the closer that has used up its time. */
const RESERVE_MS = 500;

export function createShutdown({ deadlineMs = 30_000, report = () => {}, codeOnSignal = 0 }: ShutdownOptions = {}): Shutdown {
  const lifecycle = createLifecycle(report);
  const begun = new AbortController();
  let begunAt = 0;
  let ending: Promise<never> | undefined;

  function end(code: number): Promise<never> {
    return ending ??= (async () => {
      begunAt = performance.now();
      setTimeout(() => {
        report(`not everything was closed within ${deadlineMs / 1_000} s`);
        process.exit(code || 1);
      }, deadlineMs).unref();
      begun.abort();
      await lifecycle.close(deadlineMs - RESERVE_MS);
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
    onClose: lifecycle.onClose,
    end,
  };
}
