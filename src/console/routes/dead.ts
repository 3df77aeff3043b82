import { discardDeadLetter } from '../../operator/deadLetters/discard.ts';
import { listDeadLetters, type DeadLetterView } from '../../operator/deadLetters/letters.ts';
import { requeueDeadLetter } from '../../operator/deadLetters/requeue.ts';
import { deadApi } from '../contract/dead.ts';
import { answerOf, declinedFor, route, wrongCursor, type Route } from './route.ts';

/** The largest offset: the number of letters that one answer scans at most. */
const SKIP_MAX = 20_000;

export const deadRoutes: readonly Route[] = [
  route(deadApi.list, async ({ context, query: { rainId, cursor, limit } }) => {
    const skip = Number(/^\d{1,5}$/.exec(cursor ?? '0')?.[0] ?? NaN);
    if (!(skip <= SKIP_MAX)) return wrongCursor;
    const { letters, total, complete } = await listDeadLetters(context, { rainId, skip, limit });
    return { answer: { letters: letters.map(letterAnswer), total, ...(!complete && letters.length > 0 && { next: String(skip + letters.length) }) } };
  }),

  route(deadApi.requeue, async ({ context, params: { letterId } }) => {
    const done = await requeueDeadLetter(context, letterId);
    return done.ok ? { answer: { requeued: done.letters } } : declinedFor(done.refusals);
  }),

  route(deadApi.discard, async ({ context, params: { letterId }, body: { reason, notPaid } }) => answerOf(await discardDeadLetter(context, letterId, reason, notPaid))),
];

function letterAnswer({ letter, shard: _, index: __, deadLetteredAt, ...plain }: DeadLetterView) {
  return { letterId: letter, ...plain, at: deadLetteredAt };
}
