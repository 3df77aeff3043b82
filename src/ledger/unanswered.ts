import { serversOf } from '../runtime/serverUrl.ts';

/** What a failed connection is told as: who was asked, without the password, and the last line of what came back. */
export function unanswered(url: string, error: unknown): Error {
  const { message, severity } = error as Error & { severity?: string };
  // PostgreSQL says so itself when it does not let somebody in, with a code of five characters.
  const refused = severity !== undefined || /Code: `[0-9A-Z]{5}`/.test(message);
  return new Error(`the database at ${serversOf(url)} ${refused ? 'lets us not in' : 'does not answer'}: ${message.trim().split('\n').at(-1)!.trim()}`, { cause: error });
}
