import type { Ledger } from '../../ledger/ledger.ts';
import { sessionApi } from '../contract/session.ts';
import { setCookie } from '../session/authenticate.ts';
import { SESSION_MS, type Session, type Sessions } from '../session/sessions.ts';
import { signIn } from '../session/signIn.ts';
import { isSecure, visitorAddress, type RequestOrigin } from '../session/origin.ts';
import { declined, route, type Route } from './route.ts';

/** For a bearer token `expiresAt` is not the token's end, only a time at which to ask again. */
export function sessionRoutes(ledger: Pick<Ledger, 'record'>, sessions: Sessions, requestOrigin: RequestOrigin): readonly Route[] {
  return [
    route(sessionApi.open, async ({ context, body: { name, password }, request, reply }) => {
      const done = await signIn(context, { name, password, address: visitorAddress(request) });
      if (!done.ok) return declined(done.code);
      const { token, session } = await sessions.open(done.operator);
      setCookie(reply, token, { secure: isSecure(request, requestOrigin), maxAgeMs: SESSION_MS });
      return { answer: sessionAnswer(done.operator, session) };
    }),

    route(sessionApi.current, async ({ visitor, request, reply }) => {
      if (visitor.session && visitor.token) setCookie(reply, visitor.token, { secure: isSecure(request, requestOrigin), maxAgeMs: visitor.session.expiresAt - Date.now() });
      return { answer: sessionAnswer(visitor, visitor.session) };
    }),

    route(sessionApi.close, async ({ visitor, request, reply }) => {
      if (visitor.token !== undefined) {
        await sessions.close(visitor.token);
        await ledger.record({ actor: `console:${visitor.name}`, verb: 'logout', details: { address: visitorAddress(request) } });
      }
      setCookie(reply, '', { secure: isSecure(request, requestOrigin), maxAgeMs: 0 });
      return { answer: null };
    }),
  ];
}

function sessionAnswer({ name, role }: { name: string; role: 'viewer' | 'operator' }, session: Session | undefined) {
  return { name, role, csrf: session?.csrf ?? '', expiresAt: new Date(session?.expiresAt ?? Date.now() + SESSION_MS).toISOString() };
}
