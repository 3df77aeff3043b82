import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const COOKIE = 'shop_session';
const hash = (text) => createHash('sha256').update(text).digest();

/**
 * Stands in for what your shop has already: users, and how they sign in. A session is forgotten at a restart.
 * @param {string} users `ann:password,bob:password`; a password may have colons, and no comma
 * @throws {Error} when a user has no name or no password
 */
export function openSessions(users) {
  const passwords = new Map(
    users.split(',').map((user) => {
      const [, name, password] = /^([^:]+):(.+)$/s.exec(user) ?? [];
      if (name === undefined) throw new Error('SHOP_USERS: expected name:password, separated by commas');
      return [name, password];
    }),
  );
  const sessions = new Map();
  return {
    /** @returns whether name and password are right; the answer then has the cookie */
    signIn(response, name, password) {
      const right = timingSafeEqual(hash(String(password)), hash(passwords.get(name) ?? '')) && passwords.has(name);
      if (!right) return false;
      const id = randomBytes(32).toString('base64url');
      sessions.set(id, name);
      // `lax`: no page of another origin can make this browser buy.
      response.cookie(COOKIE, id, { httpOnly: true, sameSite: 'lax', secure: process.env.NODE_ENV === 'production' });
      return true;
    },
    /** Lets only signed-in users pass, as `request.userId`. */
    onlyUsers(request, response, next) {
      const id = /(?:^|; )shop_session=([\w-]+)/.exec(request.get('cookie') ?? '')?.[1];
      request.userId = sessions.get(id);
      if (request.userId !== undefined) return next();
      return response.status(401).json({ code: 'no_session', reason: 'Sign in first: POST /session' });
    },
  };
}
