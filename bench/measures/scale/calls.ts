import { createGrabEngine } from '../../../src/grab/engine.ts';
import { connectRedis, untilReady } from '../../../src/platform/redis/connect.ts';
import { cpuMs } from '../../support/cpu.ts';
import { spreadOf } from '../../support/spread.ts';
import { inStore, type Store } from '../../support/store.ts';
import type { Measure } from '../measure.ts';

const ROUNDS = 3;
const GATEWAYS = 64;
const WINNERS = 32_768;
/** Many gateways and many shards make calls small: with 64 gateways and 8 shards a call carries one user. */
const USERS = [1, 4, 16, 64, 512] as const;

/**
 * Redis's time for a win, by the number of users in a call, when as many gateways call one shard at once, each when its
 * last call is answered.
 */
export const calls: Measure = {
  name: 'scale-calls',
  onlyWhenAsked: 'always',
  rows: ({ postgres, say }) =>
    inStore(postgres, 'rain', async (store) => {
      const connections = Array.from({ length: GATEWAYS }, () =>
        connectRedis(store.redisUrl, { purpose: 'once', onError: () => {} }),
      );
      try {
        await Promise.all(connections.map((connection) => untilReady(connection)));
        const costs = new Map(USERS.map((users) => [users, [] as number[]]));
        for (let round = 0; round < ROUNDS; round++) {
          for (const users of USERS)
            costs.get(users)!.push(await winUs(store, connections, `won-${users}-${round}`, users));
          say(`round ${round + 1}: ${[...costs.values()].map((some) => some.at(-1)!.toFixed(1)).join(', ')} µs`);
        }
        return [...costs].map(([users, values]) => ({
          measure: `Redis CPU per win, ${GATEWAYS} gateways, calls of ${users}`,
          unit: 'µs',
          ours: spreadOf(values),
          figure: spreadOf(values),
        }));
      } finally {
        for (const connection of connections) connection.disconnect();
      }
    }),
};

async function winUs(
  { house, redisPid }: Store,
  connections: readonly ReturnType<typeof connectRedis>[],
  rainId: string,
  users: number,
): Promise<number> {
  await house.stock([rainId], WINNERS);
  let next = 0;
  const before = cpuMs([redisPid]);
  await Promise.all(
    connections.map(async (redis) => {
      const engine = createGrabEngine(redis, (error) => {
        throw error;
      });
      while (next < WINNERS) {
        const from = next;
        next += users;
        await engine.grab(
          rainId,
          0,
          Array.from({ length: users }, (_, i) => `user-${from + i}`),
        );
      }
    }),
  );
  return (1_000 * (cpuMs([redisPid]) - before)) / WINNERS;
}
