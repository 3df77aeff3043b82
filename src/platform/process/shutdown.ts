import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { endWithParent } from './ipc.ts';

/**
 * The one place where a process ends.
 *
 *     running ──SIGINT, SIGTERM, parent gone, end()──▶ closing: last opened, first closed ──▶ exit
 *                                                        └──deadline, or a second signal──▶ exit at once
 */
export interface Shutdown extends Pick<Lifecycle, 'onClose' | 'opening'> {
  /** Aborted at the beginning of the shutdown. */
  signal: AbortSignal;
  /** Closes everything and exits with `code`. If a shutdown has already begun, its code stays. */
  end(code: number): Promise<never>;
}

/** Deadline for a server process, ms: below the 10 s after which Docker kills. Our own parent processes wait longer. */
export const SERVER_DEADLINE_MS = 8_000;
/** The same for a process whose children are stopped one after the other. */
const PARENT_DEADLINE_MS = 30_000;

/**
 * A second signal counts only after this time, ms: the terminal sends Ctrl-C to the process group, and npm sends it
 * once more.
 */
const SAME_KEYSTROKE_MS = 400;
/** Reserved for the parts after one that has used up its time, ms. */
const RESERVE_MS = 500;

/**
 * @param options.report receives one sentence for each part that fails to close
 * @param options.interruptedCode exit code after a signal; default 0: a process that the user stopped has not failed
 */
export function createShutdown({
  deadlineMs = PARENT_DEADLINE_MS,
  interruptedCode = 0,
  report,
}: {
  deadlineMs?: number;
  interruptedCode?: number;
  report: (sentence: string) => void;
}): Shutdown {
  const lifecycle = createLifecycle(report);
  const begun = new AbortController();
  let begunAt = 0;
  let ending: Promise<never> | undefined;

  function end(code: number): Promise<never> {
    return (ending ??= (async () => {
      begunAt = performance.now();
      setTimeout(() => {
        report(`not everything was closed within ${deadlineMs / 1_000} s`);
        process.exit(code || 1);
      }, deadlineMs).unref();
      begun.abort();
      await lifecycle.close(deadlineMs - RESERVE_MS);
      return process.exit(code);
    })());
  }

  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.on(signal, () => {
      if (!ending) void end(interruptedCode);
      else if (performance.now() - begunAt > SAME_KEYSTROKE_MS) process.exit(128 + number);
    });
  }
  endWithParent(() => end(1), deadlineMs);

  return { signal: begun.signal, onClose: lifecycle.onClose, opening: lifecycle.opening, end };
}
