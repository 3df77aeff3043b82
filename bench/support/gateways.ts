import { setTimeout as sleep } from 'node:timers/promises';
import { LocalAnswers } from '../../src/gateway/rains/localAnswers.ts';
import { RainCache } from '../../src/gateway/rains/rainCache.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { createSigner } from '../../src/store/signer.ts';
import { createWinnersReader } from '../../src/store/winnersFilter.ts';
import { SIGNING_SECRET } from './rains.ts';

const LOOK_MS = 20;

/**
 * The gateways' knowledge of rains, each with a connection of its own, in one process: 64 whole gateways would need the
 * memory of 64.
 * @param wholeMs as of RainCache
 */
export async function openKnowing(redisUrl: string, gateways: number, wholeMs?: number) {
  const signer = createSigner(SIGNING_SECRET);
  let closed = false;
  // Commands under way when a connection is closed fail.
  const onFault = (error: unknown) => {
    if (!closed) throw error;
  };
  const opened = await Promise.all(
    Array.from({ length: gateways }, async () => {
      const redis = connectRedis(redisUrl, { purpose: 'once', onError: () => {} });
      await untilReady(redis);
      const rainCache = new RainCache({
        redis,
        onFault,
        onChange: () => {},
        ...(wholeMs !== undefined && { wholeMs }),
      });
      await rainCache.start();
      return {
        redis,
        rainCache,
        localAnswers: new LocalAnswers({ read: createWinnersReader({ redis, signer, onFault }), rainCache, onFault }),
      };
    }),
  );
  return {
    /** Resolves when every gateway refuses losers of this rain by itself. */
    async learn(rainId: string): Promise<void> {
      while (opened.some(({ localAnswers }) => !localAnswers.answer(rainId, 'nobody'))) {
        for (const { localAnswers } of opened) localAnswers.heardNo(rainId);
        await sleep(LOOK_MS);
      }
    },
    close(): void {
      closed = true;
      for (const { redis, rainCache } of opened) {
        rainCache.close();
        redis.disconnect();
      }
    },
  };
}
