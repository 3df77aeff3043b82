import { describe } from 'vitest';
import { openClusterMatrix } from './cluster/deployment.ts';
import { lineFaults } from './cluster/lineFaults.ts';
import { masterFaults } from './cluster/masterFaults.ts';
import { slotFaults } from './cluster/slotFaults.ts';

// A Redis Cluster of three masters with one replica each, and rains over four shards.
for (const durability of ['replicas=1', 'local'] as const) describe(durability, () => {
  const fault = openClusterMatrix(durability);
  masterFaults(fault, durability);
  slotFaults(fault, durability);
  lineFaults(fault, durability);
});
