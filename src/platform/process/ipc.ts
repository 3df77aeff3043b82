import { z } from 'zod';

/**
 * The child's side of `childProcess.ts`. One message over the IPC channel reports that the child is ready, or why it failed. The end
 * of the channel means that the parent is gone, even by kill -9. In a process that was started by hand, all of it does nothing.
 */
export const childMessage = z.union([z.object({ failed: z.string() }), z.looseObject({ ready: z.literal(true) })]);
type ChildMessage = z.infer<typeof childMessage>;

function send(message: ChildMessage): Promise<void> {
  return new Promise((resolve) => {
    // Without a connection the parent is gone, and `endWithParent` ends this process.
    if (process.connected) process.send!(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

/**
 * @param facts data for the parent, such as a port; the parent checks them with its schema
 * @returns when the message is sent, so that the process may exit
 */
export function sendReady(facts: Record<string, unknown> = {}): Promise<void> {
  return send({ ...facts, ready: true });
}

/** @param failed one sentence for the operator */
export function sendFailed(failed: string): Promise<void> {
  return send({ failed });
}

/** Runs `close` when the parent is gone, then exits; after `deadlineMs` it exits without waiting for `close`. */
export function endWithParent(close: () => void | Promise<void>, deadlineMs = 5_000): void {
  if (!process.connected) return;
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), deadlineMs).unref();
    Promise.resolve().then(close).then(() => process.exit(0), () => process.exit(1));
  });
}
