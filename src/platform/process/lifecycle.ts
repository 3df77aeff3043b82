import { deadlineIn } from '../concurrency/deadline.ts';

/** Closes one part. `leftMs`: how much of the deadline of the whole close is left. */
type Close = (leftMs: number) => unknown;

export type Lifecycle = ReturnType<typeof createLifecycle>;

/**
 * The parts of one server. They are closed in reverse order, each of them once: also when a later part cannot be opened
 * or closed.
 * @param report receives one sentence for each part that fails to close
 */
export function createLifecycle(report: (sentence: string) => void = () => {}) {
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
    // A part whose start was under way may still be added here; it is closed next.
    for (let part = parts.pop(); part; part = parts.pop()) await closeOne(part, deadline.leftMs());
    isOver = true;
  }

  /** Only the first call counts. A part that exceeds `withinMs` is still awaited. */
  const close = (withinMs = Infinity): Promise<void> => (closing ??= closeAll(withinMs));

  return {
    /** Registers `closePart` for the end; after the end it is called at once. The name is for reports. */
    onClose(name: string, closePart: Close): void {
      if (isOver) void closeOne({ name, close: closePart }, 0);
      else parts.push({ name, close: closePart });
    },
    /** Runs `open`. When it throws, all parts that are already open are closed, and the error is rethrown. */
    async opening<T>(open: () => Promise<T>): Promise<T> {
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
