import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Role } from '../../ledger/staff.ts';
import { hashOfBearer } from '../../operator/staff/staff.ts';
import { addressOf } from '../../platform/network/address.ts';
import type { RefusalCode } from '../refusals.ts';
import { isCsrf, type Session, type Sessions } from './sessions.ts';

const COOKIE = 'rain_session';

/** The proxies in front of this server. */
export interface RequestOrigin {
  /** Number of our own proxies. Each of them appends to X-Forwarded-For. */
  trustedProxies: number;
  /** Whether cookies are sent over https only. `auto`: if the request came over https. */
  secureCookies: 'auto' | 'on' | 'off';
}

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
export function setCookie(request: FastifyRequest, reply: FastifyReply, session: Session | undefined, { secureCookies }: RequestOrigin): void {
  const secure = secureCookies === 'auto' ? request.protocol === 'https' : secureCookies === 'on';
  const maxAge = session ? Math.round((session.expiresAt - Date.now()) / 1_000) : 0;
  void reply.setCookie(COOKIE, session?.token ?? '', { path: '/', httpOnly: true, sameSite: 'strict', secure, maxAge });
}

/** Fastify reads X-Forwarded-For from the right and skips our own proxies only. An IPv6 /64 counts as one visitor. */
export function visitorAddress(request: FastifyRequest): string {
  return addressOf(request.ip) ?? 'unknown';
}

/**
 * Whether the browser reports that a page of another origin sent the request. Scripts and curl send no such header and need no
 * protection. `same-site` counts as foreign: it may be a page on another port of the same host.
 */
export function isForeign({ headers, host, protocol }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return false;
  // Only the host is compared: behind a proxy that does not forward the scheme, our protocol may be wrong.
  return !URL.canParse(origin) || new URL(origin).host !== host.replace(protocol === 'https' ? /:443$/ : /:80$/, '');
}
