import { deadlineIn } from '../concurrency/deadline.ts';

/** Gives one part back. `leftMs`: what the deadline of the whole close still leaves when its turn comes. */
export type Close = (leftMs: number) => unknown;

/**
 * The parts of one server. They are opened in order and closed in the reverse order, each of them once: also when a later part
 * cannot be opened, and when another one fails to close.
 */
export interface Lifecycle {
  /** Has `close` called at the end; at once when the end is over. The name is for reports. */
  onClose(name: string, close: Close): void;
  /** Runs `open`. When it throws, what was opened until then is closed, and the same is thrown. */
  opening<T>(open: () => Promise<T>): Promise<T>;
  /**
   * Closes all parts, one after the other. Harmless to repeat: the first call counts.
   * @param withinMs the deadline that the parts are told of; a part that overruns it is waited for all the same
   */
  close(withinMs?: number): Promise<void>;
}

/** @param report told what went wrong while closing, one sentence each */
export function createLifecycle(report: (sentence: string) => void = () => {}): Lifecycle {
  const parts: { name: string; close: Close }[] = [];
  let closing: Promise<void> | undefined;
  let isOver = false;

  async function closeOne({ name, close }: { name: string; close: Close }, leftMs: number): Promise<void> {
    try {
      await close(leftMs);
    } catch (error) {
      report(`closing the ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async function closeAll(withinMs: number): Promise<void> {
    const deadline = deadlineIn(withinMs);
    // A part that is opened meanwhile, since its start was under way when the end began, comes next.
    for (let part = parts.pop(); part; part = parts.pop()) await closeOne(part, deadline.leftMs());
    isOver = true;
  }

  const close = (withinMs = Infinity) => closing ??= closeAll(withinMs);

  return {
    onClose(name, closePart) {
      if (isOver) void closeOne({ name, close: closePart }, 0);
      else parts.push({ name, close: closePart });
    },
    async opening(open) {
      try {
        return await open();
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}
