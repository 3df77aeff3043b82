import type { IncomingMessage, ServerResponse } from 'node:http';
import { encode, fieldError, orderFrame } from '../../protocol/codec.ts';
import { HTTP_REFUSALS, httpStatusOf } from '../../protocol/http.ts';
import { REFUSALS } from '../../protocol/outcomes.ts';
import { discardBody } from '../../platform/network/discardBody.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import { parseReservationId, RESERVATION_EXPECTED, saleId } from '../../sale/ids.ts';
import type { HandlerContext } from '../handlers/context.ts';
import { callerAddress } from '../sockets/callerAddress.ts';
import { UNAVAILABLE_RETRY_MS } from '../sockets/limits.ts';
import {
  checkAccepting,
  checkBannedAddress,
  checkBannedUser,
  checkHandshake,
  type Refused,
  type UpgradeRules,
} from '../sockets/upgrade.ts';
import type { HttpAsk } from './ask.ts';
import { checkHead, readBody } from './body.ts';
import { buyOverHttp } from './buyOverHttp.ts';
import { Callers, type HttpCaller } from './callers.ts';
import { allowOrigin, allowPreflight } from './origins.ts';
import { readOrder } from './readOrder.ts';
import { Reads } from './reads.ts';
import { readSale, readTicket } from './readSale.ts';
import { refuse, refuseAndClose, respond } from './respond.ts';
import { routeOf, type Route } from './routes.ts';

/**
 * Answers buyers without a socket: the checks of an upgrade and of a message, the cheapest first, then exactly one
 * handler.
 */
export function openBuyerApi(context: HandlerContext, rules: UpgradeRules) {
  const {
    limits,
    rateLimiter,
    overload: { loopBudget },
    counters,
  } = context;
  const callers = new Callers({
    verify: rules.verify,
    callersMax: limits.httpCallersMax,
    now: () => context.sales.cache.now(),
  });
  const reads = new Reads(context);

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const route = routeOf(request.url ?? '');
    if (!route) return refuseAndClose(response, HTTP_REFUSALS[404]);
    allowOrigin(request, response, rules.allowedOrigins);
    if (request.method === 'OPTIONS') return allowPreflight(response);
    if (request.method !== route.method) {
      response.setHeader('Allow', route.method);
      return refuseAndClose(response, HTTP_REFUSALS[405]);
    }
    const unread = checkHead(request, route.method === 'POST', limits.messageBytesMax);
    if (unread) {
      if (unread.status !== 413) return refuseAndClose(response, unread);
      counters.refused.message_bytes++;
      return void discardBody(request).then(() => refuseAndClose(response, unread));
    }
    identify(request, response, route);
  }

  function identify(request: IncomingMessage, response: ServerResponse, route: Route): void {
    const address = callerAddress(request, rules.trustedProxies);
    const refused = checkAccepting(rules) ?? checkBannedAddress(address, rules);
    if (refused) return refuseByDoor(response, refused);
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) return refuse(response, REFUSALS[401]);
    const known = callers.known(token);
    if (known) return admit(known, address, request, response, route);
    // A caller who is not known costs as much as a new socket.
    const limited = callers.isVerifying(token) ? undefined : checkHandshake(address, rules);
    if (limited) return refuseByDoor(response, limited);
    void callers
      .verify(token)
      .then((caller) => {
        const closed = checkAccepting(rules);
        if (closed) return refuseByDoor(response, closed);
        if (!caller) return refuse(response, REFUSALS[401]);
        if (caller === 'unavailable') return refuse(response, REFUSALS[503], UNAVAILABLE_RETRY_MS);
        admit(caller, address, request, response, route);
      })
      .catch((error: unknown) => {
        context.onFault(error);
        refuseAndClose(response, REFUSALS[503]);
      });
  }

  function refuseByDoor(response: ServerResponse, { refusal, retryInMs }: Refused): void {
    (rules.accepting() ? refuse : refuseAndClose)(response, REFUSALS[refusal], retryInMs);
  }

  function admit(
    caller: HttpCaller,
    addressName: string,
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
  ): void {
    const banned = checkBannedUser(caller.userId, rules);
    if (banned) return refuseByDoor(response, banned);
    // The id of a sale that is known is an id.
    const subject: Subject =
      context.sales.cache.reading(route.id) && route.kind !== 'order'
        ? { ok: true, saleId: route.id, ordinal: 0 }
        : subjectOf(route);
    if (!subject.ok) return respond(response, 400, encode(fieldError(subject.refusal)));
    const { saleId: sale } = subject;
    const sender = { user: rateLimiter.users.of(caller.userId), address: rateLimiter.addresses.of(addressName) };
    loopBudget.count();
    rateLimiter.recentUsers.note(caller.userId, addressName);
    if (!rateLimiter.admit(sender)) {
      if (route.kind === 'buy') counters.purchases['-5']++;
      const retryInMs = rateLimiter.retryInMs(sender);
      return respond(response, httpStatusOf('-5'), orderFrame(sale, undefined, '-5', { retryInMs }), retryInMs);
    }
    dispatch(route, {
      caller,
      address: sender.address,
      saleId: sale,
      ordinal: subject.ordinal,
      query: route.query,
      request,
      response,
    });
  }

  function dispatch(route: Route, ask: HttpAsk): void {
    switch (route.kind) {
      case 'buy':
        return buyOverHttp(context, ask);
      case 'ticket':
        return readBody(ask.request, (text) => void reads.run(ask, () => readTicket(context, ask, text)));
      case 'sale':
        return void reads.run(ask, () => readSale(context, reads, ask));
      case 'order':
        return void readOrder(context, reads, ask);
      default:
        return route.kind satisfies never;
    }
  }

  return { handle };
}

type Subject =
  | { ok: true; saleId: string; ordinal: number }
  | { ok: false; refusal: { field: string; reason: string } };

/** The subject that the path names. */
function subjectOf({ kind, id }: Route): Subject {
  if (kind !== 'order') {
    const sale = saleId.safeParse(id);
    return sale.success
      ? { ok: true, saleId: sale.data, ordinal: 0 }
      : { ok: false, refusal: firstRefusal(sale.error, 'saleId') };
  }
  const order = parseReservationId(id);
  return order
    ? { ok: true, ...order }
    : { ok: false, refusal: { field: 'reservationId', reason: RESERVATION_EXPECTED } };
}
