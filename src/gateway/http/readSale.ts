import { encode, orderFrame } from '../../protocol/codec.ts';
import { decodeBody, HTTP_REFUSALS, solutionBody, type VisitedSale } from '../../protocol/http.ts';
import { ERRORS } from '../../protocol/outcomes.ts';
import type { HandlerContext } from '../handlers/context.ts';
import { findSaleFor } from '../sales/findSaleFor.ts';
import { saleName } from '../sales/saleName.ts';
import type { HttpAsk } from './ask.ts';
import type { Reads } from './reads.ts';
import { respond } from './respond.ts';

/** The snapshot of a sale, with the caller's ticket or a challenge, if tickets are required. */
export async function readSale({ sales, challenges }: HandlerContext, reads: Reads, ask: HttpAsk): Promise<void> {
  const { caller, address, saleId, response } = ask;
  const mayBeLost = sales.isRestoring(saleId);
  const snapshot = await findSaleFor(sales.cache, caller.audience, saleId);
  if (!snapshot) return mayBeLost ? reads.busy(ask) : respondNoSale(ask);
  const issued = await challenges.issueAfterJoin(caller, { name: saleName(saleId), address: address.name }, snapshot);
  if (issued === 'later') return reads.busy(ask);
  const shown: VisitedSale =
    issued?.type === 'ticket'
      ? { ...snapshot, ticket: issued.ticket, expiresAt: issued.expiresAt }
      : issued
        ? { ...snapshot, challenge: issued.challenge }
        : snapshot;
  respond(response, 200, JSON.stringify(shown));
}

/** The ticket for a solved challenge. A wrong solution has no effect; the rate limit bounds the number of guesses. */
export async function readTicket({ sales, challenges }: HandlerContext, ask: HttpAsk, text: string): Promise<void> {
  const { caller, saleId, response } = ask;
  const body = decodeBody(solutionBody, text);
  if (!body.ok) return respond(response, 400, encode(body.error));
  const sale = await findSaleFor(sales.cache, caller.audience, saleId);
  if (!sale) return respondNoSale(ask);
  const ticket = await challenges.issueForSolution(caller, saleName(saleId), body.value, sale);
  if (ticket) return respond(response, 200, encode(ticket));
  respond(response, 400, encode({ type: 'error', code: 'not_solved', reason: ERRORS.not_solved.meaning }));
}

function respondNoSale({ saleId, response }: HttpAsk): void {
  respond(response, HTTP_REFUSALS[404].status, orderFrame(saleId, undefined, '-8'));
}
