import { setTimeout as sleep } from 'node:timers/promises';
import { untilInStep } from '../../../src/platform/redis/inStep.ts';
import { keyOf } from '../../../src/platform/embedded/formCluster.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { eventually } from '../../support/eventually.ts';
import { at } from '../../support/servers/cluster.ts';
import type { Scene } from '../run.ts';
import type { Shape } from '../users/rainfall.ts';
import { compensate } from './compensation.ts';
import type { ClusterDeployment, ClusterFault } from './deployment.ts';
import { figuresOf, refusedSince } from './refused.ts';
import type { FaultCluster } from './servers.ts';
import { untilKnown } from './untilKnown.ts';

const PARTED: Shape = { users: 600, packets: 400, shards: 4, opensInMs: 1_500, windowMs: 12_000, arrivalsMs: 10_000 };
/**
 * Small: it is played a hundred times. A quarter of the packets is there for users who arrive after the latest stall.
 */
const STALLED: Shape = { users: 150, packets: 100, shards: 4, opensInMs: 1_000, windowMs: 3_000, arrivalsMs: 2_500 };
const STALL_MS = 300;
/** Both masters live on for so long after the promotion. */
const BOTH_MS = 1_500;
const PROMOTED_MS_MAX = 20_000;

type Served = Scene<ClusterDeployment>;

/** The users with a claim in the shards of a master, by one server that has them, as a master or not. */
async function claimants(
  { cluster, rainId }: Served,
  place: number,
  shards: number,
  server: { url: string },
): Promise<Set<string>> {
  const keys = Array.from({ length: shards }, (_, shard) => shardKeys(rainId, shard)).filter(
    ({ state }) => cluster.homeOf(state) === place,
  );
  return at(server, async (node) => {
    await node.readonly();
    return new Set((await Promise.all(keys.map(({ claimed }) => node.hkeys(claimed)))).flat());
  });
}

const without = (all: ReadonlySet<string>, some: ReadonlySet<string>) =>
  new Set([...all].filter((userId) => !some.has(userId)));

/** The lines are whole again: the old master follows its successor, and has what that one has. */
async function reunite(cluster: FaultCluster, place: number): Promise<void> {
  (await cluster.lines()).pass();
  cluster.swap(place);
  const { master, replica } = cluster.pairs[place]!;
  await eventually(() => at(replica, async (node) => (await node.role())[0] === 'slave'), {
    timeoutMs: PROMOTED_MS_MAX,
  });
  await untilInStep(master.url, keyOf(place));
}

async function prepare({ cluster, context }: Pick<ClusterDeployment, 'cluster' | 'context'>): Promise<void> {
  await cluster.restore();
  await untilKnown(context.redis, (await cluster.lines()).announced);
}

interface Parted {
  cutAt: number;
  place: number;
  promotedMs: number;
  disbelieved: number;
}

const NOTHING: Parted = { cutAt: 0, place: 0, promotedMs: 0, disbelieved: 0 };

const figures = (
  { cutAt, place, promotedMs, disbelieved }: Parted,
  shards: number,
  { cluster, crowd, rainId }: Served,
): Record<string, number> => ({
  'replica promoted after, ms': promotedMs,
  'decided by the old master alone': disbelieved,
  ...figuresOf(refusedSince(cutAt, crowd, shards, (shard) => cluster.homeOf(shardKeys(rainId, shard).state) === place)),
});

export function partitionFault(fault: ClusterFault, durability: string): void {
  let [parted, minority, toldTwice]: [Parted, Set<string>, Set<string>] = [NOTHING, new Set(), new Set()];
  fault(
    `cluster: a master cut off from the others and alive, DURABILITY=${durability}`,
    async (scene) => {
      const { cluster, rainId } = scene;
      const place = cluster.homeOf(shardKeys(rainId, 0).state);
      const { master, replica } = cluster.pairs[place]!;
      // Alone it would not show what it has decided.
      await at(master, (node) => node.config('SET', 'cluster-allow-reads-when-down', 'yes'));
      (await cluster.lines()).isolate(master);
      const cutAt = Date.now();
      const had = await claimants(scene, place, PARTED.shards, replica);
      await eventually(() => at(replica, async (node) => (await node.role())[0] === 'master'), {
        timeoutMs: PROMOTED_MS_MAX,
      });
      const promotedMs = Date.now() - cutAt;
      await sleep(BOTH_MS);
      const role = await at(master, async (node) => (await node.role())[0]);
      if (role !== 'master')
        throw new Error(`the old master is a ${String(role)}: it was not cut off, so the test shows nothing`);
      minority = without(await claimants(scene, place, PARTED.shards, master), had);
      parted = { cutAt, place, promotedMs, disbelieved: minority.size };
      await reunite(cluster, place);
      if (durability === 'local') toldTwice = await compensate(scene);
      return cutAt;
    },
    {
      rain: PARTED,
      when: 'swing',
      slow: true,
      prepare,
      excused: () => ({ compensated: toldTwice, misled: durability === 'local' ? minority : new Set() }),
      check: () =>
        toldTwice.size > parted.disbelieved
          ? [
              `${toldTwice.size} users were told twice, of ${parted.disbelieved} that the old master alone had decided for`,
            ]
          : [],
      measure: (scene) => ({
        ...figures(parted, PARTED.shards, scene),
        'told twice and named by the audit': toldTwice.size,
      }),
    },
  );
}

export function stalledLinkFault(fault: ClusterFault, durability: string): void {
  let parted = NOTHING;
  fault(
    `cluster: a stalled link and a promotion, DURABILITY=${durability}`,
    async (scene) => {
      const { cluster, rainId, crowd } = scene;
      await eventually(() => crowd.winners().length > 0);
      const place = cluster.homeOf(shardKeys(rainId, 0).state);
      const { master, replica } = cluster.pairs[place]!;
      (await cluster.lines()).stall({ master, replica });
      const cutAt = Date.now();
      await sleep(STALL_MS);
      // On a busy machine nobody may have won meanwhile.
      const lacks = await claimants(scene, place, STALLED.shards, replica);
      let disbelieved = 0;
      await eventually(
        async () => {
          disbelieved = without(await claimants(scene, place, STALLED.shards, master), lacks).size;
          return disbelieved > 0;
        },
        { timeoutMs: 5_000 },
      );
      await at(replica, (node) => node.call('CLUSTER', 'FAILOVER', 'TAKEOVER'));
      await eventually(() => at(replica, async (node) => (await node.role())[0] === 'master'));
      parted = { cutAt, place, promotedMs: Date.now() - cutAt, disbelieved };
      await reunite(cluster, place);
      return cutAt;
    },
    { rain: STALLED, when: 'swing', slow: true, prepare, measure: (scene) => figures(parted, STALLED.shards, scene) },
  );
}
