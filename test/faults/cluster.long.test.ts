import { describe } from 'vitest';
import { openClusterMatrix } from './cluster/deployment.ts';
import { partitionFault, stalledLinkFault } from './cluster/lineFaults.ts';
import { masterFaults } from './cluster/masterFaults.ts';
import { slotFaults } from './cluster/slotFaults.ts';
import { asked } from './fault.ts';

/**
 * Each with the durability with which `npm run test:long` plays it. The lines come last: they change the ports of all
 * servers.
 */
const FAULTS = [
  [masterFaults, 'replicas=1'],
  [slotFaults, 'local'],
  [stalledLinkFault, 'replicas=1'],
  [partitionFault, 'local'],
] as const;

// A Redis Cluster of three masters with one replica each, and rains over four shards.
for (const durability of ['replicas=1', 'local'] as const)
  describe(durability, () => {
    const fault = openClusterMatrix(durability);
    for (const [register, usual] of FAULTS)
      if (durability === usual || (asked && register !== stalledLinkFault)) register(fault, durability);
  });
