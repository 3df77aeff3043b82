import { openMatrix } from './fault.ts';
import { openLines } from './means/lines.ts';
import { operatorFaults } from './kinds/operatorFaults.ts';
import { queueFaults } from './kinds/queueFaults.ts';
import { settlementFaults } from './kinds/settlementFaults.ts';
import { sweepFaults } from './kinds/sweepFaults.ts';
import { transactionFaults } from './kinds/transactionFaults.ts';

// Faults behind the gateways: queue, transactions, settlement, and the operator's commands.
const {
  lines,
  detours: { workersToRedis, workersToPostgres },
} = openLines();
const fault = openMatrix({ detours: { workersToRedis: workersToRedis!, workersToPostgres: workersToPostgres! } });
for (const register of [queueFaults, transactionFaults]) register(fault, lines);
for (const register of [sweepFaults, settlementFaults, operatorFaults]) register(fault);
