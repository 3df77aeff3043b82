import { join } from 'node:path';
import { deployOn, type System } from '../deployment.ts';
import { openMatrixOn, type Fault } from '../fault.ts';
import { FaultCluster } from './servers.ts';

/** Two gateways and two workers on a Redis Cluster. */
export interface ClusterDeployment extends System {
  cluster: FaultCluster;
}

export type ClusterFault = Fault<ClusterDeployment>;

/** One deployment for all faults of a durability. */
export function openClusterMatrix(durability: 'local' | 'replicas=1'): ClusterFault {
  return openMatrixOn(() =>
    deployOn(
      async ({ home, onEnd }) => {
        const cluster = await FaultCluster.start(join(home, 'cluster'));
        onEnd(() => cluster.stop());
        return { url: cluster.url, facts: { cluster } };
      },
      { env: { DURABILITY: durability } },
    ),
  );
}
