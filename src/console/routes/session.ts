import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BookedOperator } from '../../ledger/staff.ts';
import { endAccess, listAccess } from '../../operator/staff/access.ts';
import { SESSION_MS, type Session, type Sessions } from '../../operator/staff/sessions.ts';
import { changeOwnPassword } from '../../operator/staff/staff.ts';
import { beginTotp, confirmTotp } from '../../operator/staff/totp.ts';
import { iso } from '../../rain/figures.ts';
import { sessionApi } from '../contract/session.ts';
import { setCookie, visitorAddress, type SignedIn } from '../session/authenticate.ts';
import type { RequestOrigin } from '../session/cookies.ts';
import { inTurn } from '../session/checks.ts';
import { deviceOf, rememberDevice } from '../session/device.ts';
import { signIn } from '../session/signIn.ts';
import { declined, declinedFor, route, type Backend, type Route } from './route.ts';

/** For a bearer token `expiresAt` is not the token's end, only a time at which to ask again. */
export function sessionRoutes(
  ledger: Pick<Ledger, 'record' | 'staff'>,
  sessions: Sessions,
  {
    requestOrigin,
    demandTotp,
    playerPage,
    currency,
    timeZone,
    event,
    participants,
  }: {
    requestOrigin: RequestOrigin;
    demandTotp: boolean;
    playerPage?: string | undefined;
    currency: string;
    timeZone?: string | undefined;
    event?: string | undefined;
    participants: boolean;
  },
): readonly Route[] {
  const answerOf = ({ name, role, totp }: Pick<SignedIn, 'name' | 'role' | 'totp'>, session: Session | undefined) => ({
    name,
    role,
    csrf: session?.csrf ?? '',
    expiresAt: iso(session?.expiresAt ?? Date.now() + SESSION_MS),
    totp: totp ? ('on' as const) : demandTotp && role === 'operator' ? ('needed' as const) : ('off' as const),
    ...(playerPage !== undefined && { playerPage }),
    ...(timeZone !== undefined && { timeZone }),
    ...(event !== undefined && { event }),
    currency,
    participants,
  });
  const originOf = (request: FastifyRequest, signer: Backend['signer'], name: string) => ({
    address: visitorAddress(request),
    device: deviceOf(request, signer, name, requestOrigin),
  });

  async function open(operator: BookedOperator, request: FastifyRequest, reply: FastifyReply) {
    const session = await sessions.open(operator, {
      address: visitorAddress(request),
      agent: String(request.headers['user-agent'] ?? ''),
    });
    setCookie(request, reply, session, requestOrigin);
    return answerOf(session, session);
  }
  /** After a change that ended all sessions, this browser stays signed in. */
  const openAgain = async (name: string, request: FastifyRequest, reply: FastifyReply) =>
    open((await ledger.staff.operator(name))!, request, reply);

  return [
    route(sessionApi.open, async ({ context, body: { name, password, code }, request, reply }) => {
      const done = await signIn(context, { name, password, code, ...originOf(request, context.signer, name) });
      if (!done.ok) return { declined: done.refusal };
      const answer = await open(done.operator, request, reply);
      rememberDevice(request, reply, context.signer, name, requestOrigin);
      return { answer };
    }),

    route(sessionApi.current, async ({ visitor, request, reply }) => {
      if (visitor.session) setCookie(request, reply, visitor.session, requestOrigin);
      return { answer: answerOf(visitor, visitor.session) };
    }),

    route(sessionApi.close, async ({ visitor, request, reply }) => {
      if (visitor.session) {
        await sessions.end(visitor.name, visitor.session.hash);
        await ledger.record({
          actor: `console:${visitor.name}`,
          verb: 'logout',
          details: { address: visitorAddress(request) },
        });
      }
      setCookie(request, reply, undefined, requestOrigin);
      return { answer: null };
    }),

    route(sessionApi.list, async ({ context, visitor }) => {
      const listed = (await listAccess(context, visitor.name)) ?? [];
      return {
        answer: {
          sessions: listed.map(({ hash, since, lastUsedAt, expiresAt, ...plain }) => ({
            ...plain,
            current: hash === visitor.hash,
            since: iso(since),
            expiresAt: iso(expiresAt),
            ...(lastUsedAt !== undefined && { lastUsedAt: iso(lastUsedAt) }),
          })),
        },
      };
    }),

    route(sessionApi.end, async ({ context, visitor, params: { sessionId } }) => {
      const done = await endAccess(context, visitor.name, sessionId);
      return done.ok ? { answer: null } : declined('no_such_session');
    }),

    route(
      sessionApi.changePassword,
      async ({ context, visitor: { name, session }, body: { newPassword, ...proof }, request, reply }) => {
        // A token of a script is not somebody at a browser.
        if (!session) return declined('no_session');
        const proved = await signIn(context, { name, ...proof, ...originOf(request, context.signer, name) }, true);
        if (!proved.ok) return { declined: proved.refusal };
        const done = await inTurn('known', () => changeOwnPassword(context, proved.operator, newPassword));
        return done.ok ? { answer: await openAgain(name, request, reply) } : declinedFor(done.refusals);
      },
    ),

    route(sessionApi.beginTotp, async ({ context, visitor: { name, session }, body: proof, request }) => {
      if (!session) return declined('no_session');
      const proved = await signIn(context, { name, ...proof, ...originOf(request, context.signer, name) }, true);
      return proved.ok ? { answer: beginTotp(context, proved.operator) } : { declined: proved.refusal };
    }),

    route(
      sessionApi.confirmTotp,
      async ({ context, visitor: { name, session }, body: { setup, code }, request, reply }) => {
        if (!session) return declined('no_session');
        const done = await confirmTotp(context, name, setup, code);
        return done.ok
          ? { answer: { session: await openAgain(name, request, reply), recoveryCodes: done.recoveryCodes } }
          : declinedFor(done.refusals);
      },
    ),
  ];
}
