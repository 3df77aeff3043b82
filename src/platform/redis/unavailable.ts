/** Codes and messages of Redis, PostgreSQL and the operating system for an unreachable server. */
const UNREACHABLE = /ECONNREFUSED|ECONNRESET|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EPIPE|P1001|P1002|P1008|P1017|Can't reach database|Connection is closed|Command timed out|max retries per request|Stream isn't writeable|cannot be reached|does not answer|timeout exceeded when trying to connect/;

/** Whether an error means that a server was unreachable, and is not its answer. */
export function isUnavailable(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return UNREACHABLE.test(`${typeof code === 'string' ? code : ''} ${error instanceof Error ? error.message : String(error)}`);
}

/** The message of an error in one line; Prisma puts it last. */
export function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n').at(-1)!.trim();
}
