import { creditJobId, type CreditJob } from '../../credit/job.ts';
import { findDeadLetter, readDeadLetters, type DeadLetterRow } from '../../credit/deadLetters.ts';
import { refuse, type QueueContext, type Refused } from '../context.ts';
import { unknownReason } from '../restore/presence.ts';
import { DEAD_LETTERS_MAX, noSuchDeadLetter } from './letters.ts';
import { recordOf, resendLetters } from './resend.ts';

type Requeued =
  | { ok: true; letters: number; /** False: the rain has more; requeue again. */ complete: boolean }
  | Refused;

/** Sends one claim to the credit queue again. If it fails again, it becomes a dead letter again. */
export async function requeueDeadLetter(context: QueueContext, id: string): Promise<Requeued> {
  const [letter, discards] = await Promise.all([
    findDeadLetter(context.queues.dead, id),
    context.ledger.discardedClaims([id]),
  ]);
  if (!letter || discards.has(id)) return noSuchDeadLetter(id, discards.get(id));
  await requeue(context, letter.rainId, [letter]);
  return { ok: true, letters: 1, complete: true };
}

/** Requeues all dead letters of a rain, oldest first, at most 1,000 at a time. */
export async function requeueRain(context: QueueContext, rainId: string): Promise<Requeued> {
  if (!(await context.ledger.rain(rainId))) return refuse('rain', await unknownReason(context, rainId));
  const { letters, complete } = await readDeadLetters(context.queues.dead, { rainId, limit: DEAD_LETTERS_MAX });
  const discards = await context.ledger.discardedClaims(letters.map(({ id }) => id));
  const open = letters.filter(({ id }) => !discards.has(id));
  if (open.length > 0) await requeue(context, rainId, open);
  return { ok: true, letters: open.length, complete };
}

async function requeue(
  { ledger, queues, actor }: QueueContext,
  rainId: string,
  letters: readonly DeadLetterRow[],
): Promise<void> {
  // Recorded before it is done: if it is cut, the record shows at least that it was requested.
  await ledger.record({ actor, verb: 'requeue', rainId, details: recordOf(letters) });
  await resendLetters(letters, {
    dead: queues.dead,
    add({ shard, index, entry }, again, delay) {
      const data: CreditJob = { rainId, shard, from: index, entries: [entry] };
      return queues.credit.add('range', data, { jobId: creditJobId(data, again), delay });
    },
  });
}
