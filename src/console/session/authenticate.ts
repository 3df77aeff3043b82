import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Role } from '../../ledger/staff.ts';
import { hashOfBearer } from '../../operator/staff/bearer.ts';
import type { RefusalCode } from '../refusals.ts';
import { isCsrf, type Session, type Sessions } from './sessions.ts';
import { isForeign } from './origin.ts';

const COOKIE = 'rain_session';

/** The signed-in visitor. */
export interface SignedIn {
  name: string;
  role: Role;
  /** Absent with a bearer token. */
  session?: Session;
  /** Checks again whether the login is still valid, for long streams. Does not prolong the session. */
  isStillValid: () => Promise<boolean>;
}

export type Authenticator = ReturnType<typeof openAuthenticator>;

export function openAuthenticator({ staff }: Pick<Ledger, 'staff'>, sessions: Sessions) {
  const activeOperator = async (name: string) => {
    const operator = await staff.operator(name);
    return operator?.disabledAt === undefined ? operator : undefined;
  };

  async function identify(request: FastifyRequest): Promise<SignedIn | undefined> {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      // If a bearer token is sent, only it counts: a cookie does not replace an invalid token.
      const hash = hashOfBearer(/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '');
      const operator = hash === undefined ? undefined : await staff.bearer(hash);
      return operator && { name: operator.name, role: operator.role, isStillValid: async () => await staff.bearer(hash!) !== undefined };
    }
    const token = request.cookies[COOKIE];
    const session = token === undefined ? undefined : await sessions.find(token, activeOperator);
    return session && { name: session.name, role: session.role, session, isStillValid: async () => await sessions.find(session.token, activeOperator, true) !== undefined };
  }

  return {
    /** GET and HEAD need no CSRF token. @param role the role that the endpoint requires */
    async admit(request: FastifyRequest, role: Role): Promise<{ ok: true; visitor: SignedIn } | { ok: false; code: RefusalCode }> {
      const changes = request.method !== 'GET' && request.method !== 'HEAD';
      if (changes && isForeign(request)) return { ok: false, code: 'cross_origin' };
      const visitor = await identify(request);
      if (!visitor) return { ok: false, code: 'no_session' };
      if (changes && visitor.session && !isCsrf(visitor.session, request.headers['x-csrf-token'])) return { ok: false, code: 'bad_csrf' };
      if (role === 'operator' && visitor.role !== 'operator') return { ok: false, code: 'not_allowed' };
      return { ok: true, visitor };
    },
  };
}

/** Keeps the session in the browser's cookie. Without a session the cookie is deleted. */
export function setCookie(reply: FastifyReply, session: Session | undefined, secure: boolean): void {
  const maxAge = session ? Math.round((session.expiresAt - Date.now()) / 1_000) : 0;
  void reply.setCookie(COOKIE, session?.token ?? '', { path: '/', httpOnly: true, sameSite: 'strict', secure, maxAge });
}
