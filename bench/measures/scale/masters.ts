import type { TestPostgres } from '../../../test/support/servers/postgres.ts';
import { startCluster } from '../../../test/support/servers/cluster.ts';
import { compared } from '../../report/row.ts';
import { holdToQuota } from '../../support/quota.ts';
import { openStoreOn } from '../../support/store.ts';
import { startUsers } from '../../support/users.ts';
import type { Measure } from '../measure.ts';

const MASTERS = 4;
/**
 * Two percent of a core each: the masters must be what the wins wait for, not the gateway or the users, who share two
 * cores.
 */
const QUOTA_US = 1_000;
const PERIOD_US = 50_000;

type Side = Awaited<ReturnType<typeof startSide>>;

/**
 * A Redis Cluster of so many masters, each held to its quota, a gateway and its users. The rains have a shard for each
 * master.
 */
async function startSide(masters: number, users: number, postgres: TestPostgres) {
  const ends: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const cluster = await startCluster({ size: masters });
    ends.push(() => cluster.stop());
    const quota = holdToQuota(
      cluster.masters.map(({ pid }) => pid),
      QUOTA_US,
      PERIOD_US,
    );
    ends.unshift(() => quota.remove());
    const store = await openStoreOn(cluster.url, postgres, 'rain');
    ends.push(
      () => store.close(),
      () => quota.set(false),
    );
    const gateway = await store.start('../dist/bin/rain.js', ['gateway']);
    const crowd = await startUsers(store, gateway, 'rain', `${masters} masters`);
    await crowd.connect('user', users);
    return {
      stop,
      /** Wins per second of a round in which all users win in each of these rains. */
      async winsPerSecond(rainIds: readonly string[]): Promise<number> {
        for (const rainId of rainIds) await store.house.stockRain(rainId, users, masters);
        quota.set(true);
        const { ran } = await crowd.ask({ do: 'walk', rainIds });
        quota.set(false);
        if (ran!.won !== users * rainIds.length)
          throw new Error(`${masters} masters: ${ran!.won} of ${users * rainIds.length} won`);
        return (ran!.won * 1_000) / ran!.elapsedMs;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The load that several masters carry, where one is too few: on two cores only if none of them has more than a part of
 * a core.
 */
export const masters: Measure = {
  name: 'scale-masters',
  onlyWhenAsked: 'always',
  async rows({ size: { users, rounds, warmRounds, rains }, postgres, say }) {
    const sides: Side[] = [];
    try {
      for (const count of [MASTERS, 1]) sides.push(await startSide(count, users, postgres));
      say(`${rounds} rounds of ${MASTERS} masters and of one`);
      const figures: number[][] = [[], []];
      for (let round = 0; round < warmRounds + rounds; round++) {
        for (const [i, side] of sides.entries()) {
          const figure = await side.winsPerSecond(Array.from({ length: rains }, (_, rain) => `held-${round}-${rain}`));
          if (round >= warmRounds) figures[i]!.push(figure);
        }
      }
      const name = {
        measure: `wins per second, ${MASTERS} masters held to ${(100 * QUOTA_US) / PERIOD_US} % of a core each`,
        against: 'one so held',
        unit: '/s',
        target: { least: 3 },
      };
      return [compared(name, figures[0]!, figures[1]!)];
    } finally {
      for (const side of sides) await side.stop();
    }
  },
};
