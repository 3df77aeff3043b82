import { createGrabEngine } from '../../../src/grab/engine.ts';
import { newPlacedId } from '../../../src/operator/create.ts';
import { shardOf } from '../../../src/store/keys.ts';
import { at, startCluster, type TestCluster } from '../../../test/support/servers/cluster.ts';
import { compared, type Row } from '../../report/row.ts';
import { cpuMs } from '../../support/cpu.ts';
import { openStoreOn, type StoreOn } from '../../support/store.ts';
import type { BaselineOptions, Measure } from '../measure.ts';

/** Three is no power of two: there the id of the rain decides. */
const MASTERS = [3, 4, 8];
const ROUNDS = 5;
/** Users of one call. */
const BATCH = 250;
/** More packets than users, so that no shard is empty before all its users have won. */
const packetsFor = (users: number) => Math.ceil(users * 1.2);

/**
 * How many wins the busiest master of a Redis Cluster has, of rains with a shard for each master; each has an id of its
 * own.
 */
export const spread: Measure = {
  name: 'scale-spread',
  onlyWhenAsked: 'always',
  async rows(options) {
    const rows: Row[] = [];
    for (const masters of MASTERS) rows.push(await rowOf(masters, options));
    return rows;
  },
};

async function rowOf(masters: number, { size, postgres, say }: BaselineOptions): Promise<Row> {
  const cluster = await startCluster({ size: masters });
  const store = await openStoreOn(cluster.url, postgres, 'rain');
  const wins = { busiest: [] as number[], mean: [] as number[] };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const before = cluster.masters.map(({ pid }) => cpuMs([pid]));
      const { rainId, won } = await play(store, masters, size.claims);
      const busy = cluster.masters.map(({ pid }, i) => cpuMs([pid]) - before[i]!);
      const held = await winsHeld(cluster, rainId);
      if (sum(held) !== won) throw new Error(`the masters have ${sum(held)} of ${won} wins`);
      wins.busiest.push(Math.max(...held));
      wins.mean.push(won / masters);
      say(
        `${masters} masters, round ${round + 1}: ${held.join(', ')} wins in ${busy.map((ms) => ms.toFixed(0)).join(', ')} ms of processor time`,
      );
    }
  } finally {
    await store.close();
    await cluster.stop();
  }
  return compared(
    {
      measure: `wins of the busiest of ${masters} masters, ${masters} shards`,
      against: 'mean of the masters',
      unit: '',
      target: { most: 1.25 },
    },
    wins.busiest,
    wins.mean,
  );
}

/** Every user wins once. */
async function play({ house }: StoreOn, shards: number, users: number): Promise<{ rainId: string; won: number }> {
  const { redis } = house.context;
  const rainId = newPlacedId(Date.now(), shards, redis);
  await house.stockRain(rainId, packetsFor(users), shards);
  const engine = createGrabEngine(redis, (fault) => {
    throw fault;
  });
  const homes = Array.from({ length: shards }, () => [] as string[]);
  for (let i = 0; i < users; i++) homes[shardOf(`user-${i}`, shards)]!.push(`user-${i}`);
  let won = 0;
  await Promise.all(
    homes.map(async (home, shard) => {
      for (let from = 0; from < home.length; from += BATCH) {
        const answers = await engine.grab(rainId, shard, home.slice(from, from + BATCH));
        won += answers.filter(({ code }) => code === '0').length;
      }
    }),
  );
  if (won !== users) throw new Error(`${won} of ${users} won`);
  return { rainId, won };
}

/** Entries of this rain's claim logs, as each master itself has them. */
function winsHeld({ masters }: TestCluster, rainId: string): Promise<number[]> {
  return Promise.all(
    masters.map((master) =>
      at(master, async (node) =>
        sum(await Promise.all((await node.keys(`rain:{${rainId}/*}:claims`)).map((key) => node.llen(key)))),
      ),
    ),
  );
}

const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);
