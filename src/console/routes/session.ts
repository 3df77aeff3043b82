import type { Ledger } from '../../ledger/ledger.ts';
import { sessionApi } from '../contract/session.ts';
import { setCookie, visitorAddress, type RequestOrigin, type SignedIn } from '../session/authenticate.ts';
import { SESSION_MS, type Session, type Sessions } from '../session/sessions.ts';
import { signIn } from '../session/signIn.ts';
import { declined, route, type Route } from './route.ts';

/** For a bearer token `expiresAt` is not the token's end, only a time at which to ask again. */
export function sessionRoutes(ledger: Pick<Ledger, 'record'>, sessions: Sessions, requestOrigin: RequestOrigin): readonly Route[] {
  return [
    route(sessionApi.open, async ({ context, body: { name, password }, request, reply }) => {
      const done = await signIn(context, { name, password, address: visitorAddress(request) });
      if (!done.ok) return declined(done.code);
      const session = await sessions.open(done.operator);
      setCookie(request, reply, session, requestOrigin);
      return { answer: sessionAnswer(session, session) };
    }),

    route(sessionApi.current, async ({ visitor, request, reply }) => {
      if (visitor.session) setCookie(request, reply, visitor.session, requestOrigin);
      return { answer: sessionAnswer(visitor, visitor.session) };
    }),

    route(sessionApi.close, async ({ visitor, request, reply }) => {
      if (visitor.session) {
        await sessions.close(visitor.session.token);
        await ledger.record({ actor: `console:${visitor.name}`, verb: 'logout', details: { address: visitorAddress(request) } });
      }
      setCookie(request, reply, undefined, requestOrigin);
      return { answer: null };
    }),
  ];
}

function sessionAnswer({ name, role }: Pick<SignedIn, 'name' | 'role'>, session: Session | undefined) {
  return { name, role, csrf: session?.csrf ?? '', expiresAt: new Date(session?.expiresAt ?? Date.now() + SESSION_MS).toISOString() };
}
