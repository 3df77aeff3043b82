import { deadLetter, deadLetterId, idOfDeadLetter, type DeadLetter, type LogEntry } from './deadLetter.ts';
import type { DeadQueue } from './queue.ts';

/** A dead letter in the queue. */
export interface DeadLetterRow extends DeadLetter {
  id: string;
  /** Epoch ms. */
  deadLetteredAt: number;
}

/** Dead letters per read, and the most that are read for one answer [R10]. */
const PAGE = 200;
const READ_MAX = 20_000;

export interface DeadLetterPage {
  /** Oldest first. */
  letters: DeadLetterRow[];
  /** False: there are more. */
  complete: boolean;
}

/** `undefined`: there is no such letter, or it is invalid. */
export async function findDeadLetter(dead: DeadQueue, id: string): Promise<DeadLetterRow | undefined> {
  const job = await dead.getJob(id);
  return job && toDeadLetter(job);
}

/** The dead letters of one rain, or of all. */
export async function readDeadLetters(dead: DeadQueue, { rainId, skip = 0, limit }: { rainId?: string | undefined; skip?: number; limit: number }): Promise<DeadLetterPage> {
  const letters: DeadLetterRow[] = [];
  let passed = 0;
  // Counted from the oldest, so that new letters do not shift the others.
  for (let from = 0; from < READ_MAX; from += PAGE) {
    const jobs = await dead.getJobs(['waiting'], from, from + PAGE - 1, true);
    for (const job of jobs) {
      // A job that is removed during the read is returned as undefined.
      const letter = job && toDeadLetter(job);
      if (!letter || (rainId !== undefined && letter.rainId !== rainId) || passed++ < skip) continue;
      if (letters.length === limit) return { letters, complete: false };
      letters.push(letter);
    }
    if (jobs.length < PAGE) return { letters, complete: true };
  }
  return { letters, complete: false };
}

/** Which of these entries are dead letters that an operator finds in the list, in order. */
export async function areDeadLettered(dead: DeadQueue, entries: readonly LogEntry[]): Promise<boolean[]> {
  return Promise.all(entries.map((entry) => isListed(dead, deadLetterId(entry), entry)));
}

/** Adds each letter once, however often it is passed in. */
export async function addDeadLetters(dead: DeadQueue, letters: readonly DeadLetter[]): Promise<void> {
  const jobs = letters.map((letter) => ({ name: letter.reason, data: letter, opts: { jobId: idOfDeadLetter(letter) } }));
  await dead.addBulk(jobs);
  // Somebody who writes a job's key before us keeps its letter out of the list: BullMQ takes it for a job that is there.
  for (const { name, data, opts } of jobs) {
    if (await isListed(dead, opts.jobId, data)) continue;
    await dead.remove(opts.jobId);
    await dead.add(name, data, opts);
  }
}

/** A key alone is no letter: somebody may have written it so that nobody sends the claim again. */
async function isListed(dead: DeadQueue, id: string, { rainId, shard, index, entry }: LogEntry): Promise<boolean> {
  const job = await dead.getJob(id).catch((error: unknown) => {
    if (!String(error).includes('WRONGTYPE')) throw error;
  });
  const letter = job && toDeadLetter(job);
  return letter !== undefined && letter.rainId === rainId && letter.shard === shard && letter.index === index && letter.entry === entry && await job!.isWaiting();
}

function toDeadLetter({ id, data, timestamp }: { id?: string | undefined; data: unknown; timestamp: number }): DeadLetterRow | undefined {
  const parsed = deadLetter.safeParse(data);
  return parsed.success && id !== undefined ? { ...parsed.data, id, deadLetteredAt: timestamp } : undefined;
}
