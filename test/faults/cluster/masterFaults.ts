import type { Failover } from '../../../src/bin/up/cluster/failover.ts';
import { keyOf } from '../../../src/platform/embedded/formCluster.ts';
import { untilInStep } from '../../../src/platform/redis/inStep.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { eventually } from '../../support/eventually.ts';
import { at } from '../../support/servers/cluster.ts';
import { asked } from '../fault.ts';
import type { Scene } from '../run.ts';
import { STOOD_STILL_MS } from '../users/patience.ts';
import type { Shape } from '../users/rainfall.ts';
import type { ClusterDeployment, ClusterFault } from './deployment.ts';
import { figuresOf, refusedSince } from './refused.ts';

/** Packets are left in every shard while the master is away, so that nobody else has to wait for what lies there. */
const WIDE: Shape = { users: 1_500, packets: 600, shards: 4, opensInMs: 2_500, windowMs: 25_000, arrivalsMs: 20_000 };
const BRIEF: Shape = { users: 600, packets: 400, shards: 4, opensInMs: 1_500, windowMs: 8_000, arrivalsMs: 7_000 };
const HANDED_OVER_MS_MAX = 20_000;
/** The share of the users of other masters: on a busy machine a few are refused for other reasons. */
const OTHERS_SHARE_MAX = 0.03;
/** From when Redis could answer again to the last refusal: gateways look for told wins for three seconds at most. */
const LATE_MS_MAX = 4_000;

export function masterFaults(fault: ClusterFault, durability: string): void {
  const refusedUsers = ({ cluster, crowd, rainId }: Scene<ClusterDeployment>, sinceMs: number, shards: number) =>
    refusedSince(sinceMs, crowd, shards, (shard) => cluster.homeOf(shardKeys(rainId, shard).state) === place);
  let [failover, killedAt, place, leftElsewhere]: [Failover, number, number, number] = [
    { promotedMs: 0, inStepMs: 0 },
    0,
    0,
    0,
  ];
  const ableMs = () => (durability === 'local' ? failover.promotedMs : failover.inStepMs);
  fault(
    `cluster: a master killed early, DURABILITY=${durability}`,
    async ({ cluster, context, rainId }) => {
      place = cluster.homeOf(shardKeys(rainId, 0).state);
      killedAt = Date.now();
      failover = await cluster.failOver(place);
      const others = Array.from({ length: WIDE.shards }, (_, shard) => shardKeys(rainId, shard)).filter(
        ({ state }) => cluster.homeOf(state) !== place,
      );
      leftElsewhere = Math.min(...(await Promise.all(others.map(({ packets }) => context.redis.llen(packets)))));
      return killedAt;
    },
    {
      rain: WIDE,
      when: 'swing',
      slow: true,
      prepare: ({ cluster }) => cluster.restore(),
      check(scene) {
        if (scene.stoodStillMs() > STOOD_STILL_MS) return [];
        const { its, others } = refusedUsers(scene, killedAt, WIDE.shards);
        return [
          ...(leftElsewhere > 0 && others.refused > OTHERS_SHARE_MAX * others.users
            ? [`${others.refused} of ${others.users} users of other masters were refused`]
            : []),
          ...(its.untilMs > ableMs() + LATE_MS_MAX
            ? [`a user was refused ${its.untilMs - ableMs()} ms after Redis could answer again`]
            : []),
        ];
      },
      measure: (scene) => {
        const refused = refusedUsers(scene, killedAt, WIDE.shards);
        return {
          'replica promoted after, ms': failover.promotedMs,
          'it has a replica again after, ms': failover.inStepMs,
          'packets left then in another shard, at least': leftElsewhere,
          ...figuresOf(refused),
          'last refused since Redis could answer again, ms': refused.its.untilMs - ableMs(),
        };
      },
    },
  );

  if (!asked) return;
  let [beganAt, endedAt] = [0, 0];
  fault(
    `cluster: a master hands over to its replica, DURABILITY=${durability}`,
    async ({ cluster, rainId }) => {
      place = cluster.homeOf(shardKeys(rainId, 0).state);
      const { master, replica } = cluster.pairs[place]!;
      beganAt = Date.now();
      await at(replica, (node) => node.call('CLUSTER', 'FAILOVER'));
      for (const [server, role] of [
        [replica, 'master'],
        [master, 'slave'],
      ] as const)
        await eventually(() => at(server, async (node) => (await node.role())[0] === role), {
          timeoutMs: HANDED_OVER_MS_MAX,
        });
      cluster.swap(place);
      await untilInStep(replica.url, keyOf(place));
      endedAt = Date.now();
      return beganAt;
    },
    {
      rain: BRIEF,
      when: 'swing',
      slow: true,
      prepare: ({ cluster }) => cluster.restore(),
      measure: (scene) => ({
        'in step again after, ms': endedAt - beganAt,
        ...figuresOf(refusedUsers(scene, beganAt, BRIEF.shards)),
      }),
    },
  );
}
