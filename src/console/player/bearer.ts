import type { FastifyRequest } from 'fastify';
import { audienceOf, type Audience } from '../../rain/audience.ts';
import { bearerId } from '../../rain/ids.ts';
import type { ReadToken } from '../../platform/auth/tokenReader.ts';

/** Protects this process from a hostile visitor [R10]. */
const TOKEN_CHARACTERS_MAX = 4_096;

/** The verified bearer of a token. */
interface Bearer {
  userId: string;
  audience: Audience | undefined;
}

/**
 * Reads the token of a request's header [R9]; cookies are never read.
 * @returns `undefined`: there is none, or it is not valid; `unavailable` as ReadToken does
 */
export function createBearerReader(
  readToken: ReadToken,
): (request: Pick<FastifyRequest, 'headers'>) => Promise<Bearer | 'unavailable' | undefined> {
  return async ({ headers }) => {
    const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined || token.length > TOKEN_CHARACTERS_MAX) return undefined;
    const found = await readToken(token);
    if (found === 'unavailable') return found;
    const user = bearerId.safeParse(found?.subject);
    return found && user.success ? { userId: user.data, audience: audienceOf(found) } : undefined;
  };
}
