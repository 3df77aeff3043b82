import { encode, orderFrame, resultFrame } from '../../protocol/codec.ts';
import type { RainSnapshot, SolutionMessage } from '../../protocol/messages.ts';
import { ERRORS } from '../../protocol/outcomes.ts';
import type { SaleSnapshot } from '../../protocol/saleMessages.ts';
import type { HandlerContext } from './context.ts';
import { mayEnter } from '../../rain/audience.ts';
import { findSaleFor } from '../sales/findSaleFor.ts';
import { saleName } from '../sales/saleName.ts';
import { sendProtocolError, send, type Session } from '../sockets/session.ts';

/** Answers with a ticket. A wrong solution counts as a protocol error, which limits the number of guesses. */
export async function solution(context: HandlerContext, session: Session, message: SolutionMessage): Promise<void> {
  const { rainId, saleId } = message;
  try {
    const found = await findRound(context, session, message);
    if (!found)
      return send(
        session,
        saleId === undefined ? resultFrame(rainId, undefined, '-8') : orderFrame(saleId, undefined, '-8'),
        context.limits,
      );
    const ticket = await context.challenges.issueForSolution(session, found.name, message, found.snapshot);
    if (ticket) return send(session, encode(ticket), context.limits);
    sendProtocolError(
      session,
      encode({ type: 'error', code: 'not_solved', reason: ERRORS.not_solved.meaning }),
      context.limits,
    );
  } catch (error) {
    context.onFault(error);
    send(
      session,
      saleId === undefined ? resultFrame(rainId, undefined, '-7') : orderFrame(saleId, undefined, '-7'),
      context.limits,
    );
  }
}

/** The rain or sale of a solution. Without a `saleId` it may be either; if there are both, it is the rain. */
async function findRound(
  { rainCache, sales }: HandlerContext,
  { audience }: Session,
  { rainId, saleId }: SolutionMessage,
): Promise<{ name: string; snapshot: RainSnapshot | SaleSnapshot } | undefined> {
  const rain = saleId === undefined ? await rainCache.find(rainId) : undefined;
  if (rain) return mayEnter(audience, 'rains', rainId, rain.terms ?? {}) ? { name: rainId, snapshot: rain } : undefined;
  const sale = await findSaleFor(sales.cache, audience, saleId ?? rainId);
  return sale && { name: saleName(sale.saleId), snapshot: sale };
}
