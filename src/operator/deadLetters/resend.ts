import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import type { Json } from '../../ledger/actions.ts';

/**
 * Delay of the new job while its dead letter is removed, longer than any command may take. Otherwise a fast worker
 * could dead-letter it again while the old letter exists, which adds none, and then both would be gone. If this is cut,
 * the job starts by itself [R5].
 */
const HOLD_MS = 10_000;
/** Letter ids listed in the record at most. */
const RECORDED_IDS_MAX = 20;

interface Resending<Letter> {
  dead: { remove(id: string): Promise<unknown> };
  /** @param again makes the id of the job another one than before */
  add(letter: Letter, again: string, delayMs: number): Promise<Pick<Job, 'promote' | 'isDelayed'>>;
}

/** Puts the entries of dead letters into their queue again, and removes the letters. */
export async function resendLetters<Letter extends { id: string }>(
  letters: readonly Letter[],
  { dead, add }: Resending<Letter>,
): Promise<void> {
  const again = randomUUID();
  for (const letter of letters) {
    const job = await add(letter, again, HOLD_MS);
    await dead.remove(letter.id);
    // A job that has started by itself meanwhile needs no promotion.
    await job.promote().catch(async (error: unknown) => {
      if (await job.isDelayed()) throw error;
    });
  }
}

/** The details for its record. */
export function recordOf(letters: readonly { id: string }[]): Json {
  return { count: letters.length, letters: letters.slice(0, RECORDED_IDS_MAX).map(({ id }) => id) };
}
