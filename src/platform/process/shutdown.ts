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
   * Registers `close` for the end; the last part opened is the first closed. The name is for reports. `leftMs` is how much of the
   * common deadline is left for this part, without a small reserve for the parts after it.
   */
  onClose(name: string, close: Close): void;
  /** Aborted at the beginning of the shutdown, for loops and waits that must end then. */
  signal: AbortSignal;
  /** Closes everything and exits with `code`. If a shutdown has already begun, its code stays. */
  end(code: number): Promise<never>;
}

/**
 * Deadline for the whole shutdown of a server process, from the signal on. It is below the 10 s after which Docker kills; our own
 * parent processes wait longer than this, see `childProcess.ts`.
 */
export const SERVER_DEADLINE_MS = 8_000;

interface ShutdownOptions {
  /** For all closers together. The default suits a process whose children are stopped one after the other. */
  deadlineMs?: number;
  /** Receives one sentence for each part that fails to close. */
  report?: (sentence: string) => void;
  /** Exit code after a signal: a process that the user stopped has not failed. */
  codeOnSignal?: number;
}

/**
 * A terminal sends Ctrl-C to the whole process group and npm forwards it once more, so one keystroke can arrive as two signals. A
 * second signal forces the exit only after this time, ms.
 */
const SAME_KEYSTROKE_MS = 400;
/** Part of the deadline that is reserved for the closers after one that has used up its time, ms. */
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
