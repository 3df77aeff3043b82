import type { Failover } from '../../../src/bin/up/cluster/failover.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import type { Shape } from '../users/rainfall.ts';
import type { ClusterFault } from './deployment.ts';
import { figuresOf, refusedSince } from './refused.ts';

/** Packets are left in every shard while the master is away, so that nobody else has to wait for what lies there. */
export const WIDE: Shape = { users: 1_500, packets: 600, shards: 4, opensInMs: 2_500, windowMs: 25_000, arrivalsMs: 20_000 };

export function masterFaults(fault: ClusterFault, durability: string): void {
  let [failover, killedAt, place, leftElsewhere]: [Failover, number, number, number] = [{ promotedMs: 0, inStepMs: 0 }, 0, 0, 0];
  fault(`cluster: a master killed early, DURABILITY=${durability}`, async ({ cluster, context, rainId }) => {
    place = cluster.homeOf(shardKeys(rainId, 0).state);
    killedAt = Date.now();
    failover = await cluster.failOver(place);
    const others = Array.from({ length: WIDE.shards }, (_, shard) => shardKeys(rainId, shard)).filter(({ state }) => cluster.homeOf(state) !== place);
    leftElsewhere = Math.min(...await Promise.all(others.map(({ packets }) => context.redis.llen(packets))));
    return killedAt;
  }, {
    rain: WIDE, when: 'swing', slow: true,
    prepare: ({ cluster }) => cluster.restore(),
    measure: ({ cluster, crowd, rainId }) => {
      const refused = refusedSince(killedAt, crowd, WIDE.shards, (shard) => cluster.homeOf(shardKeys(rainId, shard).state) === place);
      const ableMs = durability === 'local' ? failover.promotedMs : failover.inStepMs;
      return {
        'replica promoted after, ms': failover.promotedMs, 'it has a replica again after, ms': failover.inStepMs,
        'packets left then in another shard, at least': leftElsewhere, ...figuresOf(refused),
        'last refused since Redis could answer again, ms': refused.its.untilMs - ableMs,
      };
    },
  });
}
