import { setTimeout as sleep } from 'node:timers/promises';
import { slotOf } from '../../../src/platform/redis/owner.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { asked } from '../fault.ts';
import type { Scene } from '../run.ts';
import type { Shape } from '../users/rainfall.ts';
import type { ClusterDeployment, ClusterFault } from './deployment.ts';
import { figuresOf, refusedSince } from './refused.ts';
import type { Pair } from './servers.ts';
import { untilKnown } from './untilKnown.ts';

/** Short, and with packets to the end. */
const SHAPE: Shape = { users: 600, packets: 400, shards: 4, opensInMs: 1_500, windowMs: 8_000, arrivalsMs: 7_000 };

type Known = Pick<ClusterDeployment, 'cluster' | 'context'>;

export function slotFaults(fault: ClusterFault, durability: string): void {
  const known = ({ cluster, context }: Known) =>
    untilKnown(context.redis, new Set(cluster.masters.map(({ port }) => `127.0.0.1:${port}`)));
  let moved = { beganAt: 0, endedAt: 0 };
  /** The slot of the first shard goes to this pair. */
  const move = async (
    scene: Scene<ClusterDeployment>,
    to: (home: number) => Pair | Promise<Pair>,
    meanwhile?: () => Promise<unknown>,
  ) => {
    const { cluster, context, rainId } = scene;
    const { state } = shardKeys(rainId, 0);
    const home = cluster.homeOf(state);
    moved = await cluster.moveSlot(slotOf(context.redis, state), cluster.pairs[home]!, await to(home), meanwhile);
    await known(scene);
    return moved.beganAt;
  };
  const options = {
    rain: SHAPE,
    when: 'swing' as const,
    slow: true,
    async prepare(deployment: Known) {
      await deployment.cluster.restore();
      await known(deployment);
    },
    measure: ({ crowd }: Scene<ClusterDeployment>) => {
      const refused = refusedSince(moved.beganAt, crowd, SHAPE.shards, (shard) => shard === 0);
      const { records } = crowd;
      const answers = Math.max(0, ...[...records.values()].map(({ answerMsMax }) => answerMsMax));
      return {
        'slot on its way, ms': moved.endedAt - moved.beganAt,
        ...figuresOf(refused),
        'longest wait for an answer, ms': answers,
      };
    },
  };

  fault(
    `cluster: a slot of a live rain moved to another master, DURABILITY=${durability}`,
    (scene) => move(scene, (home) => scene.cluster.pairs[(home + 1) % scene.cluster.pairs.length]!),
    options,
  );

  fault(
    `cluster: a node added, and a slot of a live rain moved to it, DURABILITY=${durability}`,
    (scene) => move(scene, () => scene.cluster.addPair()),
    options,
  );

  if (!asked) return;
  fault(
    `cluster: a slot on its way for 3 s, DURABILITY=${durability}`,
    (scene) =>
      move(
        scene,
        (home) => scene.cluster.pairs[(home + 1) % scene.cluster.pairs.length]!,
        () => sleep(3_000),
      ),
    options,
  );
}
