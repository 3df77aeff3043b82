import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';

/** Each limit protects the ledger from the guesses of one address [R10]. */
const LIMITS = {
  atOncePerAddress: 4,
  /** The place of a wrong guess stays taken so long, once there are many: five hundred a second at most. */
  pauseMs: 8,
  /** As many as an address may have connections: each waits three seconds at most. */
  waitingMaxPerAddress: 1_200,
} as const;

interface Line {
  inPlace: ReturnType<typeof createSemaphore>;
  waiting: number;
}

/**
 * Each address looks up in a line of its own. A hall shares one address, so wrong guesses do not shut it out: they make
 * its line slower, and a right one gets its turn.
 */
export class WaitingLines {
  readonly #lines = new Map<string, Line>();

  isFull(address: string): boolean {
    return (this.#lines.get(address)?.waiting ?? 0) >= LIMITS.waitingMaxPerAddress;
  }

  /**
   * @param isGone whether nobody waits for the answer any more: then nothing is looked up
   * @param isTooMany counts a look-up that has found nothing
   */
  async lookUp<T>(
    address: string,
    {
      isGone,
      look,
      isTooMany,
    }: { isGone: () => boolean; look: () => Promise<T | undefined>; isTooMany: () => boolean },
  ): Promise<T | undefined> {
    const line = this.#lines.get(address) ?? { inPlace: createSemaphore(LIMITS.atOncePerAddress), waiting: 0 };
    this.#lines.set(address, line);
    line.waiting++;
    try {
      return await line.inPlace(async () => {
        if (isGone()) return undefined;
        const found = await look();
        // By-invitation rains and rains that do not exist pause alike: both were not found.
        if (found === undefined && isTooMany()) await sleep(LIMITS.pauseMs);
        return found;
      });
    } finally {
      if (--line.waiting === 0) this.#lines.delete(address);
    }
  }
}
