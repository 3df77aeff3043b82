import type { Queue } from 'bullmq';
import { z } from 'zod';
import { removeJob } from './queue.ts';

/** Dead letters per read, and the most that are read for one answer [R10]. */
const PAGE = 200;
const READ_MAX = 20_000;

/** A dead letter in the queue. */
export type LetterRow<Letter> = Letter & {
  id: string;
  /** Epoch ms. */
  deadLetteredAt: number;
  /** Its signature; absent in one of an older version. */
  mac?: string | undefined;
};

/** Signs letters with a key that Redis does not have; see store/signer.ts. */
export interface LetterSigner {
  letterMac(letter: string): string;
  isLetter(mac: string | undefined, letter: string): boolean;
}

/** Shown in the place of the advice of a letter that no process of ours has signed. */
export const UNSIGNED_ADVICE =
  'This letter is not signed with SIGNING_SECRET: an older version wrote it, or somebody else who can write to Redis. Do nothing that it says before the ledger, and the shop or wallet, say so, too; then requeue or discard it.';

const signature = z.object({ mac: z.string().optional().catch(undefined) });

export interface LetterPage<Letter> {
  /** Oldest first. */
  letters: LetterRow<Letter>[];
  /** False: there are more. */
  complete: boolean;
}

/** The form of letters of one kind: a rain's claims, or a sale's reservations. */
interface LetterForm<Letter, Entry> {
  /** Keeps the signatures of the kinds apart. */
  kind: string;
  schema: z.ZodType<Letter>;
  idOf(letter: Letter): string;
  idOfEntry(entry: Entry): string;
  isOf(letter: Letter, entry: Entry): boolean;
}

/** Reads and adds the dead letters of one kind. `Entry`: what names an entry of a log. */
export function createLetterBox<
  Letter extends Entry & { reason: string; detail: string },
  Entry extends { entry: string },
>({ kind, schema, idOf, idOfEntry, isOf }: LetterForm<Letter, Entry>) {
  type Letters = Queue<Letter, unknown, string, Letter, unknown, string>;

  function toRow({
    id,
    data,
    timestamp,
  }: {
    id?: string | undefined;
    data: unknown;
    timestamp: number;
  }): LetterRow<Letter> | undefined {
    const parsed = schema.safeParse(data);
    return parsed.success && id !== undefined
      ? { ...parsed.data, id, deadLetteredAt: timestamp, mac: signature.safeParse(data).data?.mac }
      : undefined;
  }

  const textOf = (letter: Letter) => JSON.stringify([kind, idOf(letter), letter.entry, letter.reason, letter.detail]);

  /** A key alone is no letter: somebody may have written it so that nobody sends the entry again. */
  async function isListed(dead: Letters, id: string, entry: Entry): Promise<boolean> {
    const job = await dead.getJob(id).catch((error: unknown) => {
      if (!String(error).includes('WRONGTYPE')) throw error;
    });
    const letter = job && toRow(job);
    return letter !== undefined && isOf(letter, entry) && (await job!.isWaiting());
  }

  /** Adds each letter once, signed, however often it is passed in. */
  async function add(
    dead: Letters,
    letters: readonly Letter[],
    signer: Pick<LetterSigner, 'letterMac'>,
  ): Promise<void> {
    const jobs = letters.map((letter) => ({
      name: letter.reason,
      data: { ...letter, mac: signer.letterMac(textOf(letter)) },
      opts: { jobId: idOf(letter) },
    }));
    // Somebody who writes a job's key before us would keep its letter out of the list: BullMQ takes it for a job of
    // ours.
    for (const { data, opts } of jobs) if (!(await isListed(dead, opts.jobId, data))) await removeJob(dead, opts.jobId);
    await dead.addBulk(jobs);
  }

  return {
    add,
    /** Puts a letter in the place of the one with its id. */
    async replace(dead: Letters, letter: Letter, signer: Pick<LetterSigner, 'letterMac'>): Promise<void> {
      await removeJob(dead, idOf(letter));
      await add(dead, [letter], signer);
    },
    /** Whether a process of ours has written this letter as it is, also its id: a copy under another one is none. */
    isSigned: (letter: LetterRow<Letter>, signer: Pick<LetterSigner, 'isLetter'>): boolean =>
      letter.id === idOf(letter) && signer.isLetter(letter.mac, textOf(letter)),
    /** `undefined`: there is no such letter, or it is invalid. */
    async find(dead: Letters, id: string): Promise<LetterRow<Letter> | undefined> {
      const job = await dead.getJob(id);
      return job && toRow(job);
    },
    /** The letters that are wanted. @param wanted asked once for each letter */
    async read(
      dead: Letters,
      wanted: (letter: Letter) => boolean,
      { skip = 0, limit }: { skip?: number; limit: number },
    ): Promise<LetterPage<Letter>> {
      const letters: LetterRow<Letter>[] = [];
      let passed = 0;
      // Counted from the oldest, so that new letters do not shift the others.
      for (let from = 0; from < READ_MAX; from += PAGE) {
        const jobs = await dead.getJobs(['waiting'], from, from + PAGE - 1, true);
        for (const job of jobs) {
          // A job that is removed during the read is returned as undefined.
          const letter = job && toRow(job);
          if (!letter || !wanted(letter) || passed++ < skip) continue;
          if (letters.length === limit) return { letters, complete: false };
          letters.push(letter);
        }
        if (jobs.length < PAGE) return { letters, complete: true };
      }
      return { letters, complete: false };
    },
    /** Which of these entries are dead letters that an operator finds in the list, in order. */
    areListed(dead: Letters, entries: readonly Entry[]): Promise<boolean[]> {
      return Promise.all(entries.map((entry) => isListed(dead, idOfEntry(entry), entry)));
    },
  };
}
