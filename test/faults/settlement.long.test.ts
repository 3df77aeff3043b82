import { openMatrix } from './fault.ts';
import { operatorFaults } from './kinds/operatorFaults.ts';
import { settlementFaults } from './kinds/settlementFaults.ts';
import { sweepFaults } from './kinds/sweepFaults.ts';

// Faults behind the gateways: what nobody delivers again but the sweep, settlement, and the operator's commands.
const fault = openMatrix({}, { atOnce: 2 });
for (const register of [sweepFaults, settlementFaults, operatorFaults]) register(fault);
