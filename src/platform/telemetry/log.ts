import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/** JSON lines on stderr: stdout belongs to a command's answer. Never hand it tokens or whole messages. */
export function createLog(room: string, level: string): Logger {
  return pino({
    level,
    base: { room },
    redact: { paths: ['token', '*.token', 'authorization', '*.authorization', 'secret', '*.secret', 'password', '*.password'], censor: '…' },
  }, pino.destination({ dest: 2, sync: true }));
}

/** A server that is away fails every question; one line in a while says so. */
export function throttled<Fault>(report: (error: Fault) => void, everyMs = 1_000): (error: Fault) => void {
  let next = 0;
  return (error) => {
    const now = Date.now();
    if (now < next) return;
    next = now + everyMs;
    report(error);
  };
}
