import { z } from 'zod';

/**
 * One message over the IPC channel reports that a child is ready, or why it failed; others before it, for what it waits.
 * The end of the channel means that the parent is gone, even by kill -9. In a process that was started by hand, the
 * child's side does nothing.
 */
const childMessage = z.union([
  z.object({ failed: z.string() }),
  z.object({ waiting: z.string() }),
  z.looseObject({ ready: z.literal(true) }),
]);

/** How often a parent says that a child is not ready, ms. */
const SAY_MS = 5_000;

/**
 * The parent's side, which waits as long as the child lives: a busy machine may take a minute to load it.
 * @param child the source of its messages
 * @param onWaiting receives every few seconds why the child is not ready
 * @returns the facts, or one sentence why there are none
 */
export async function readReady<Facts>(
  child: Pick<NodeJS.EventEmitter, 'on' | 'off'>,
  facts: z.ZodType<Facts>,
  ended: Promise<string>,
  onWaiting: (why: string) => void,
  sayMs = SAY_MS,
): Promise<{ facts: Facts } | string> {
  let why = 'it is loading';
  const timer = setInterval(() => onWaiting(why), sayMs);
  let hear = (_message: unknown) => {};
  const reported = new Promise<{ facts: Facts } | string>((resolve) => {
    hear = (message) => {
      const { data } = childMessage.safeParse(message);
      if (data && 'waiting' in data) return void (why = String(data.waiting));
      if (data && 'failed' in data) return resolve(String(data.failed));
      const checked = facts.safeParse(data);
      resolve(checked.success ? { facts: checked.data } : 'it sent an unexpected message');
    };
  });
  child.on('message', hear);
  try {
    return await Promise.race([reported, ended]);
  } finally {
    clearInterval(timer);
    child.off('message', hear);
  }
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

/** @param waiting one sentence on the server that is waited for */
export const sendWaiting = (waiting: string): void => void send({ waiting });

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
