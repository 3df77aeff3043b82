import { discardOrderLetter } from '../../operator/sale/deadLetters/discard.ts';
import { listOrderLetters, type OrderLetterView } from '../../operator/sale/deadLetters/letters.ts';
import { requeueOrderLetter, requeueSale } from '../../operator/sale/deadLetters/requeue.ts';
import { orderLettersApi } from '../contract/orderLetters.ts';
import { declinedFor, answerOf, route, saleRoute, type Route } from './route.ts';

export const orderLetterRoutes: readonly Route[] = [
  route(orderLettersApi.list, async ({ context, query: { cursor, limit, ...search } }) => {
    const skip = Number(cursor ?? 0);
    const { letters, total, complete } = await listOrderLetters(context, { ...search, skip, limit });
    return {
      answer: {
        letters: letters.map(letterAnswer),
        total,
        ...(!complete && letters.length > 0 && { next: String(skip + letters.length) }),
      },
    };
  }),

  route(orderLettersApi.requeue, async ({ context, params: { letterId } }) =>
    sent(await requeueOrderLetter(context, letterId)),
  ),
  saleRoute(orderLettersApi.requeueSale, async ({ context, sale }) => sent(await requeueSale(context, sale.id))),
  route(orderLettersApi.discard, async ({ context, params: { letterId }, body: { reason } }) =>
    answerOf(await discardOrderLetter(context, letterId, reason)),
  ),
];

function sent(done: Awaited<ReturnType<typeof requeueSale>>) {
  return done.ok
    ? { answer: { requeued: done.letters, final: done.final, complete: done.complete } }
    : declinedFor(done.refusals);
}

function letterAnswer({ letter, deadLetteredAt, ...plain }: OrderLetterView) {
  return { letterId: letter, ...plain, at: deadLetteredAt };
}
