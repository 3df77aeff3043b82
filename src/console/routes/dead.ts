import { discardDeadLetter } from '../../operator/deadLetters/discard.ts';
import { listDeadLetters, type DeadLetterView } from '../../operator/deadLetters/letters.ts';
import { requeueDeadLetter } from '../../operator/deadLetters/requeue.ts';
import { deadApi } from '../contract/dead.ts';
import { answerOf, declinedFor, route, type Route } from './route.ts';

export const deadRoutes: readonly Route[] = [
  route(deadApi.list, async ({ context, query: { rainId, cursor, limit } }) => {
    const skip = Number(cursor ?? 0);
    const { letters, total, complete } = await listDeadLetters(context, { rainId, skip, limit });
    return {
      answer: {
        letters: letters.map(letterAnswer),
        total,
        ...(!complete && letters.length > 0 && { next: String(skip + letters.length) }),
      },
    };
  }),

  route(deadApi.requeue, async ({ context, params: { letterId } }) => {
    const done = await requeueDeadLetter(context, letterId);
    return done.ok ? { answer: { requeued: done.letters } } : declinedFor(done.refusals);
  }),

  route(deadApi.discard, async ({ context, params: { letterId }, body: { reason, notPaid } }) =>
    answerOf(await discardDeadLetter(context, letterId, reason, notPaid)),
  ),
];

function letterAnswer({ letter, shard: _, index: __, deadLetteredAt, ...plain }: DeadLetterView) {
  return { letterId: letter, ...plain, at: deadLetteredAt };
}
