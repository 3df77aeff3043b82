import { z } from 'zod';

/**
 * One message over the IPC channel reports that a child is ready, or why it failed. The end of the channel means that
 * the parent is gone, even by kill -9. In a process that was started by hand, the child's side does nothing.
 */
const childMessage = z.union([z.object({ failed: z.string() }), z.looseObject({ ready: z.literal(true) })]);

/** How long a child may take to report, ms. */
export const READY_WITHIN_MS = 30_000;

/** The parent's side. @returns the facts, or one sentence why there are none */
export function readReady<Facts>(message: unknown, facts: z.ZodType<Facts>): { facts: Facts } | string {
  const parsed = childMessage.safeParse(message);
  if (parsed.success && 'failed' in parsed.data) return String(parsed.data.failed);
  const checked = facts.safeParse(parsed.data);
  return checked.success ? { facts: checked.data } : 'it sent an unexpected message';
}

function send(message: z.infer<typeof childMessage>): Promise<void> {
  return new Promise((resolve) => {
    // Without a connection the parent is gone, and `endWithParent` ends this process.
    if (process.connected) process.send!(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

/** Resolves when the facts, such as a port, are sent, so that the process may exit. */
export const sendReady = (facts: Record<string, unknown> = {}): Promise<void> => send({ ...facts, ready: true });

/** @param failed one sentence for the operator */
export const sendFailed = (failed: string): Promise<void> => send({ failed });

/** Runs `close` when the parent is gone, then exits; after `deadlineMs` it exits without waiting for `close`. */
export function endWithParent(close: () => void | Promise<void>, deadlineMs = 5_000): void {
  if (!process.connected) return;
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), deadlineMs).unref();
    Promise.resolve()
      .then(close)
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  });
}
