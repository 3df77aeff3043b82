import { setTimeout as sleep } from 'node:timers/promises';
import { Batcher } from '../../src/grab/batcher.ts';
import { createGrabEngine, decideGrabs, type GrabAnswer } from '../../src/grab/engine.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';

interface Grab {
  userId: string;
  /** When the user grabbed, ms. */
  at: number;
}

/** In ms of the gateways' clock. `waitMs` is the median from grab to answer. */
interface ThinRun {
  calls: number;
  waitMs: number;
}

/**
 * Gateways reduced to what asks Redis, a batcher and a connection each, in one process: 64 whole gateways would need
 * the memory of 64.
 * @param slower their clock goes so many times slower than the real one, beside a Redis that is held to as small a
 *   part of a core
 */
export async function openThin(
  redisUrl: string,
  {
    gateways,
    shards,
    grabBehindMsMax,
    slower = 1,
  }: { gateways: number; shards: number; grabBehindMsMax: number; slower?: number },
) {
  const now = () => performance.now() / slower;
  let run = { calls: 0, waits: [] as number[], onWon() {} };
  const opened = await Promise.all(
    Array.from({ length: gateways }, async () => {
      // Without the time-outs of `once`, which know nothing of a slower clock.
      const redis = connectRedis(redisUrl, { purpose: 'queue', onError: () => {} });
      await untilReady(redis);
      const engine = createGrabEngine(redis, (error) => {
        throw error;
      });
      const counted: typeof engine = { grab: (...asked) => (run.calls++, engine.grab(...asked)) };
      const batcher = new Batcher<Grab, GrabAnswer>(
        decideGrabs(counted),
        ({ at }, rainId, { code }) => {
          if (code !== '0') throw new Error(`a grab in ${rainId} was answered ${code}`);
          run.waits.push(now() - at);
          run.onWon();
        },
        { grabsPendingMax: Infinity, grabBehindMsMax },
        () => {},
        { now, after: (callback, ms) => setTimeout(callback, ms * slower) },
      );
      return { redis, batcher };
    }),
  );
  return {
    /**
     * So many users grab, evenly over time and gateways, and all of them win. Each gateway has a turn of its event loop
     * each ms.
     */
    async win(rainId: string, users: number, perSecond: number): Promise<ThinRun> {
      const all = new Promise<void>((resolve) => {
        run = {
          calls: 0,
          waits: [],
          onWon() {
            if (run.waits.length === users) resolve();
          },
        };
      });
      const from = now();
      for (let grabbed = 0; grabbed < users; await sleep(slower)) {
        for (const due = Math.min(users, Math.floor(((now() - from) * perSecond) / 1_000)); grabbed < due; grabbed++) {
          opened[grabbed % gateways]!.batcher.add(rainId, shards, {
            userId: `${rainId}-${grabbed}`,
            at: from + (grabbed * 1_000) / perSecond,
          });
        }
      }
      await all;
      return { calls: run.calls, waitMs: run.waits.sort((a, b) => a - b)[users >> 1]! };
    },
    close(): void {
      for (const { redis } of opened) redis.disconnect();
    },
  };
}
