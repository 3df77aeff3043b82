import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/** JSON lines on stderr, because stdout is for a command's answer. Never log tokens or whole messages. */
export function createLog(room: string, level: string): Logger {
  return pino(
    {
      level,
      base: { room },
      redact: {
        paths: ['token', '*.token', 'authorization', '*.authorization', 'secret', '*.secret', 'password', '*.password'],
        censor: '…',
      },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

/**
 * Runs `work`; `undefined` when it fails. A lasting fault is reported at its begin and its end only, so that a loop
 * does not fill the log.
 * @param failing the names of what fails now; the caller keeps it
 */
export async function reportingFault<T>(
  failing: Set<string>,
  name: string,
  work: () => Promise<T>,
  {
    began,
    over,
  }: {
    began: (error: unknown) => void;
    over: () => void;
  },
): Promise<T | undefined> {
  try {
    const result = await work();
    if (failing.delete(name)) over();
    return result;
  } catch (error) {
    if (!failing.has(name)) began(error);
    failing.add(name);
    return undefined;
  }
}

/** Reports at most one error in `everyMs`, because an unreachable server fails every request. */
export function throttled<Fault>(report: (error: Fault) => void, everyMs = 1_000): (error: Fault) => void {
  let next = 0;
  return (error) => {
    const now = Date.now();
    if (now < next) return;
    next = now + everyMs;
    report(error);
  };
}
