import { z } from 'zod';

/**
 * The child's side of `children.ts`: one message over the IPC channel says that the work can begin, or why it cannot;
 * the end of that channel says that the parent is gone, even by kill -9. All of it does nothing in a process that was
 * started by hand.
 */
export const childMessage = z.union([z.object({ failed: z.string() }), z.looseObject({ ready: z.literal(true) })]);
type ChildMessage = z.infer<typeof childMessage>;

function tell(message: ChildMessage): Promise<void> {
  return new Promise((resolve) => {
    // A parent that has just died cannot listen; `endWithParent` is about to take notice.
    if (process.connected) process.send!(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

/**
 * @param facts what the parent needs to know, such as a port; checked there with the schema it asked for
 * @returns when the message is on its way, so that the process may exit
 */
export function tellReady(facts: Record<string, unknown> = {}): Promise<void> {
  return tell({ ...facts, ready: true });
}

/** @param failed one sentence for the operator */
export function tellFailed(failed: string): Promise<void> {
  return tell({ failed });
}

/** Runs `close` when the parent is gone, then ends this process; after `deadlineMs` it ends without waiting for `close`. */
export function endWithParent(close: () => void | Promise<void>, deadlineMs = 5_000): void {
  if (!process.connected) return;
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), deadlineMs).unref();
    Promise.resolve().then(close).then(() => process.exit(0), () => process.exit(1));
  });
}
