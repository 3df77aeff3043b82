import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../../src/ledger/ledger.ts';

const LOOK_MS = 100;

/** Looks into the book again and again, to see when a credit or the settlement could first be seen there. */
export interface BookWatch {
  /** userId → when his credit was first seen, epoch ms. */
  creditedAt: ReadonlyMap<string, number>;
  settledAt(): number | undefined;
  stop(): Promise<void>;
}

/** @param seen by an earlier watch, from which this one goes on */
export function watchBook(ledger: Ledger, rainId: string, seen: ReadonlyMap<string, number> = new Map()): BookWatch {
  const creditedAt = new Map(seen);
  let settledAt: number | undefined;
  const done = new AbortController();

  async function look(): Promise<void> {
    const settled = (await ledger.rain(rainId))?.settledAt !== undefined;
    for (const { userId } of await ledger.credits(rainId)) if (!creditedAt.has(userId)) creditedAt.set(userId, Date.now());
    if (settled) settledAt ??= Date.now();
  }

  const watching = (async () => {
    while (!done.signal.aborted) {
      // A database that is away for a while is looked at again.
      await look().catch(() => {});
      await sleep(LOOK_MS, undefined, { signal: done.signal }).catch(() => {});
    }
  })();
  return {
    creditedAt,
    settledAt: () => settledAt,
    async stop() {
      done.abort();
      await watching;
    },
  };
}
