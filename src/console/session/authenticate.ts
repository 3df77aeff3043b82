import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Role } from '../../ledger/staff.ts';
import { isCsrf, type Session, type Sessions } from '../../operator/staff/sessions.ts';
import { hashOfBearer } from '../../operator/staff/staff.ts';
import { addressOf } from '../../platform/network/address.ts';
import type { RefusalCode } from '../refusals.ts';
import { readCookie, writeCookie, type RequestOrigin } from './cookies.ts';

const COOKIE = 'rain_session';

export interface SignedIn {
  name: string;
  role: Role;
  /** Whether the operator has one-time codes. */
  totp: boolean;
  /** Absent with a bearer token. */
  session?: Session;
  /** The hash of the token or the session. */
  hash?: string;
  /** Checks again whether the login is still valid, for long streams. Does not prolong the session. */
  isStillValid: () => Promise<boolean>;
}

/** @param demandTotp whether operators without one-time codes may only read */
export function openAuthenticator(
  { staff }: Pick<Ledger, 'staff'>,
  sessions: Sessions,
  origin: RequestOrigin,
  demandTotp: boolean,
) {
  const activeOperator = async (name: string) => {
    const operator = await staff.operator(name);
    return operator?.disabledAt === undefined ? operator : undefined;
  };

  async function identify(request: FastifyRequest): Promise<SignedIn | 'no_session' | 'token_ended'> {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      // If a bearer token is sent, only it counts: a cookie does not replace an invalid token.
      const hash = hashOfBearer(/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '');
      if (hash === undefined) return 'no_session';
      const bearer = () => staff.bearer(hash, visitorAddress(request));
      const operator = await bearer();
      if (typeof operator !== 'object') return operator === 'ended' ? 'token_ended' : 'no_session';
      return {
        name: operator.name,
        role: operator.role,
        totp: operator.totpSecret !== undefined,
        hash,
        isStillValid: async () => typeof (await bearer()) === 'object',
      };
    }
    const token = readCookie(request, COOKIE, origin);
    const session = token === undefined ? undefined : await sessions.find(token, activeOperator);
    if (!session) return 'no_session';
    const { name, role, totp, hash } = session;
    return {
      name,
      role,
      totp,
      hash,
      session,
      isStillValid: async () => (await sessions.find(session.token, activeOperator, true)) !== undefined,
    };
  }

  return {
    /** GET and HEAD need no CSRF token. @param role the role that the endpoint requires */
    async admit(
      request: FastifyRequest,
      role: Role,
    ): Promise<{ ok: true; visitor: SignedIn } | { ok: false; code: RefusalCode }> {
      const changes = request.method !== 'GET' && request.method !== 'HEAD';
      if (changes && isForeign(request)) return { ok: false, code: 'cross_origin' };
      const visitor = await identify(request);
      if (typeof visitor === 'string') return { ok: false, code: visitor };
      if (changes && visitor.session && !isCsrf(visitor.session, request.headers['x-csrf-token']))
        return { ok: false, code: 'bad_csrf' };
      if (role === 'operator' && visitor.role !== 'operator') return { ok: false, code: 'not_allowed' };
      if (role === 'operator' && demandTotp && !visitor.totp) return { ok: false, code: 'totp_needed' };
      return { ok: true, visitor };
    },
  };
}

/** Keeps the session in the browser's cookie. Without a session the cookie is deleted. */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session | undefined,
  origin: RequestOrigin,
): void {
  const maxAge = session ? Math.round((session.expiresAt - Date.now()) / 1_000) : 0;
  writeCookie(request, reply, origin, { name: COOKIE, value: session?.token ?? '', maxAge });
}

/** Fastify reads X-Forwarded-For from the right and skips our own proxies only. An IPv6 /64 counts as one visitor. */
export function visitorAddress(request: FastifyRequest): string {
  return addressOf(request.ip) ?? 'unknown';
}

/**
 * Whether the browser reports that a page of another origin sent the request. Scripts and curl send no such header and
 * need no protection. `same-site` counts as foreign: it may be a page on another port of the same host.
 */
export function isForeign({ headers, host, protocol }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return false;
  // Only the host is compared: behind a proxy that does not forward the scheme, our protocol may be wrong.
  return !URL.canParse(origin) || new URL(origin).host !== host.replace(protocol === 'https' ? /:443$/ : /:80$/, '');
}
