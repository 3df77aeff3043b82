import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/** JSON lines on stderr, because stdout is for a command's answer. Never log tokens or whole messages. */
export function createLog(room: string, level: string): Logger {
  return pino({
    level,
    base: { room },
    redact: { paths: ['token', '*.token', 'authorization', '*.authorization', 'secret', '*.secret', 'password', '*.password'], censor: '…' },
  }, pino.destination({ dest: 2, sync: true }));
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
