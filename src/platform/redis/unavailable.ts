import { COMMAND_TIMEOUT_MS } from './connect.ts';
import { refusedBecause } from './refusal.ts';

/** Codes and messages of Redis, PostgreSQL and the operating system for an unreachable server. */
const UNREACHABLE =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EPIPE|P1001|P1002|P1008|P1017|Can't reach database|Connection is closed|Command timed out|max retries per request|Stream isn't writeable|cannot be reached|does not answer|timeout exceeded when trying to connect/;

/**
 * The same of a Redis Cluster: the client has followed its answers in a circle, knows no server, or the servers say
 * that none serves the key now.
 */
const NOT_SERVED =
  /Too many Cluster redirections|None of startup nodes is available|Failed to refresh slots cache|Cluster isn't ready/;

/** Whether an error means that a server cannot be reached, or does not serve now, whatever it is asked. */
export function isUnavailable(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  const text = `${typeof code === 'string' ? code : ''} ${error instanceof Error ? error.message : String(error)}`;
  return UNREACHABLE.test(text) || NOT_SERVED.test(text) || refusedBecause(error) !== undefined;
}

const LASTING =
  /WRONGPASS|NOAUTH|NOPERM|invalid password|without any password configured|rejected our login|certificate/i;

/** Whether a server that cannot be reached refuses who we are, or is not who it says: waiting changes nothing. */
export const isLasting = (error: unknown): boolean =>
  LASTING.test(error instanceof Error ? error.message : String(error));

/**
 * The message of an error in one line; Prisma puts it last, ioredis does not say what was mute, and Redis ends its own
 * with the numbers of a script.
 */
export function lastLine(error: unknown): string {
  const why = error instanceof Error && error.name === 'ReplyError' ? refusedBecause(error) : undefined;
  if (why !== undefined) return `Redis does not serve: ${why}`;
  const text = error instanceof Error ? error.message : String(error);
  return text
    .trim()
    .split('\n')
    .at(-1)!
    .trim()
    .replace(
      'Command timed out',
      `Redis does not answer: no reply to a command within ${COMMAND_TIMEOUT_MS / 1_000} s`,
    );
}
