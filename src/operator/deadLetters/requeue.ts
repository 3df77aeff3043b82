import { randomUUID } from 'node:crypto';
import { creditJobId, type CreditJob } from '../../credit/job.ts';
import { findDeadLetter, readDeadLetters, type DeadLetterRow } from '../../credit/deadLetters.ts';
import { refuse, type QueueContext, type Refused } from '../context.ts';
import { DEAD_LETTERS_MAX, noSuchDeadLetter } from './letters.ts';

type Requeued = { ok: true; letters: number; /** False: the rain has more, to be sent by asking again. */ complete: boolean } | Refused;

/**
 * How long a job keeps still while its letter is taken out: longer than any command may take. Otherwise a quick worker could
 * bury it again while the old letter lies there, which adds none, and both would be gone. Killed in between, the job begins
 * by itself after this time, and the letter, if it is still there, is a letter twice sent, which is harmless [R5].
 */
const HOLD_MS = 10_000;
/** So many of the letters are named on record. */
const NAMED_MAX = 20;

/** Sends one claim to be credited once more. When it cannot be again, it comes back as a letter. */
export async function requeueDeadLetter(context: QueueContext, id: string): Promise<Requeued> {
  const [letter, resting] = await Promise.all([findDeadLetter(context.queues.dead, id), context.ledger.discardedClaims([id])]);
  if (!letter || resting.has(id)) return noSuchDeadLetter(id, resting.get(id));
  await requeue(context, letter.rainId, [letter]);
  return { ok: true, letters: 1, complete: true };
}

/** The same for every letter of a rain, the oldest first, at most 1,000 at a time. */
export async function requeueRain(context: QueueContext, rainId: string): Promise<Requeued> {
  if (!await context.ledger.rain(rainId)) return refuse('rain', `there is no rain ${rainId}`);
  const { letters, complete } = await readDeadLetters(context.queues.dead, { rainId, limit: DEAD_LETTERS_MAX });
  const resting = await context.ledger.discardedClaims(letters.map(({ id }) => id));
  const open = letters.filter(({ id }) => !resting.has(id));
  if (open.length > 0) await requeue(context, rainId, open);
  return { ok: true, letters: open.length, complete };
}

async function requeue({ ledger, queues, actor }: QueueContext, rainId: string, letters: readonly DeadLetterRow[]): Promise<void> {
  // On record before it is done: what is not known to have happened is seen at least to have been asked for.
  await ledger.record({ actor, verb: 'requeue', rainId, details: { count: letters.length, letters: letters.slice(0, NAMED_MAX).map(({ id }) => id) } });
  const again = randomUUID();
  for (const { id, shard, index, entry } of letters) {
    const data: CreditJob = { rainId, shard, from: index, entries: [entry] };
    const job = await queues.credit.add('range', data, { jobId: creditJobId(data, again), delay: HOLD_MS });
    await queues.dead.remove(id);
    // One that has begun by itself meanwhile needs no push.
    await job.promote().catch(async (error: unknown) => { if (await job.isDelayed()) throw error; });
  }
}
