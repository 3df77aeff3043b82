import { setTimeout as sleep } from 'node:timers/promises';
import { SETTLED_RAINS_KEY } from '../../../src/store/keys.ts';
import type { OperatorContext } from '../../../src/operator/context.ts';

const POLL_MS = 100;

/** Polls the ledger to find when each credit was first visible, and when the rain was settled. */
export interface LedgerWatch {
  /** userId → when the credit was first seen, epoch ms. */
  creditedAt: ReadonlyMap<string, number>;
  /** When both the ledger and Redis had it as settled, epoch ms. */
  settledAt(): number | undefined;
  stop(): Promise<void>;
}

/** @param seen credits seen by an earlier watch, which this one continues */
export function watchLedger(
  { ledger, redis }: Pick<OperatorContext, 'ledger' | 'redis'>,
  rainId: string,
  seen: ReadonlyMap<string, number> = new Map(),
): LedgerWatch {
  const creditedAt = new Map(seen);
  let settledAt: number | undefined;
  const done = new AbortController();

  async function poll(): Promise<void> {
    for (const { userId } of await ledger.credits(rainId))
      if (!creditedAt.has(userId)) creditedAt.set(userId, Date.now());
    if ((await ledger.rain(rainId))?.settledAt === undefined || (await redis.hexists(SETTLED_RAINS_KEY, rainId)) === 0)
      return;
    settledAt ??= Date.now();
  }

  const watching = (async () => {
    while (!done.signal.aborted) {
      // If the database is unreachable for a while, the next poll reads it.
      await poll().catch(() => {});
      await sleep(POLL_MS, undefined, { signal: done.signal }).catch(() => {});
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
