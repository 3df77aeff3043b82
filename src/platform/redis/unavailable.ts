/** Codes and sentences of Redis's, PostgreSQL's and the operating system's that mean: nobody there. */
const AWAY = /ECONNREFUSED|ECONNRESET|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EPIPE|P1001|P1002|P1008|P1017|Can't reach database|Connection is closed|Command timed out|max retries per request|Stream isn't writeable|cannot be reached|does not answer|timeout exceeded when trying to connect/;

/** Whether an error says that a server could not be asked, rather than what it has answered. */
export function isUnavailable(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return AWAY.test(`${typeof code === 'string' ? code : ''} ${error instanceof Error ? error.message : String(error)}`);
}

/** What went wrong, in a line: Prisma puts it last. */
export function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n').at(-1)!.trim();
}
