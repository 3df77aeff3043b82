import { setTimeout as sleep } from 'node:timers/promises';
import { SETTLED_RAINS_KEY } from '../../src/store/keys.ts';
import type { OperatorContext } from '../../src/operator/context.ts';

const LOOK_MS = 100;

/** Looks into the book again and again, to see when a credit could first be seen there, and when the rain was settled. */
export interface BookWatch {
  /** userId → when his credit was first seen, epoch ms. */
  creditedAt: ReadonlyMap<string, number>;
  /** By the book and by Redis. */
  settledAt(): number | undefined;
  stop(): Promise<void>;
}

/** @param seen by an earlier watch, from which this one goes on */
export function watchBook({ ledger, redis }: Pick<OperatorContext, 'ledger' | 'redis'>, rainId: string, seen: ReadonlyMap<string, number> = new Map()): BookWatch {
  const creditedAt = new Map(seen);
  let settledAt: number | undefined;
  const done = new AbortController();

  async function look(): Promise<void> {
    for (const { userId } of await ledger.credits(rainId)) if (!creditedAt.has(userId)) creditedAt.set(userId, Date.now());
    if ((await ledger.rain(rainId))?.settledAt === undefined || await redis.hexists(SETTLED_RAINS_KEY, rainId) === 0) return;
    settledAt ??= Date.now();
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
