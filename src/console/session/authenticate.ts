import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Role } from '../../ledger/staff.ts';
import { hashOfBearer } from '../../operator/staff/bearer.ts';
import type { RefusalCode } from '../refusals.ts';
import { isCsrf, type Session, type Sessions } from './sessions.ts';
import { isForeign } from './origin.ts';

const COOKIE = 'rain_session';

/** Who asks. */
export interface SignedIn {
  name: string;
  role: Role;
  /** Absent: he has shown a bearer token. */
  session?: Session;
  /** What his browser holds. */
  token?: string;
  /** Whether he may still be here, for what goes on for long; prolongs nothing. */
  stillHere: () => Promise<boolean>;
}

type Admission = { ok: true; visitor: SignedIn } | { ok: false; code: RefusalCode };

export interface Authenticator {
  /** @param role what is asked of him; `look`: GET and HEAD, which need no CSRF token */
  admit(request: FastifyRequest, role: Role): Promise<Admission>;
}

export function openAuthenticator(ledger: Pick<Ledger, 'staff'>, sessions: Sessions): Authenticator {
  const { staff } = ledger;
  const standing = async (name: string) => {
    const operator = await staff.operator(name);
    return operator?.disabledAt === undefined ? operator : undefined;
  };
  const epochOf = async (name: string) => (await standing(name))?.epoch;

  async function identify(request: FastifyRequest): Promise<SignedIn | undefined> {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      // Whoever sends one means it: a bad one is not made up for by a cookie.
      const hash = hashOfBearer(/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '');
      const operator = hash === undefined ? undefined : await staff.bearer(hash);
      return operator && { name: operator.name, role: operator.role, stillHere: async () => await staff.bearer(hash!) !== undefined };
    }
    const token = request.cookies[COOKIE];
    const session = token === undefined ? undefined : await sessions.find(token, epochOf);
    const operator = session && await standing(session.name);
    return operator && { name: operator.name, role: operator.role, session, token: token!, stillHere: async () => await sessions.find(token!, epochOf, true) !== undefined };
  }

  return {
    async admit(request, role) {
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

/** `Max-Age=0` takes it back. */
export function setCookie(reply: FastifyReply, token: string, { secure, maxAgeMs }: { secure: boolean; maxAgeMs: number }): void {
  void reply.setCookie(COOKIE, token, { path: '/', httpOnly: true, sameSite: 'strict', secure, maxAge: Math.round(maxAgeMs / 1_000) });
}
