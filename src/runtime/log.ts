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
