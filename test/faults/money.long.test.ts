import { openMatrix } from './fault.ts';
import { openLines } from './lines.ts';
import { operatorFaults } from './operatorFaults.ts';
import { queueFaults } from './queueFaults.ts';
import { settlementFaults } from './settlementFaults.ts';
import { sweepFaults } from './sweepFaults.ts';
import { transactionFaults } from './transactionFaults.ts';

// Faults behind the gateways: queue, transactions, settlement, and the operator's commands.
const { lines, detours: { workersToRedis, workersToPostgres } } = openLines();
const fault = openMatrix({ detours: { workersToRedis: workersToRedis!, workersToPostgres: workersToPostgres! } });
for (const register of [queueFaults, transactionFaults]) register(fault, lines);
for (const register of [sweepFaults, settlementFaults, operatorFaults]) register(fault);
