import { openMatrix } from './fault.ts';
import { layLines } from './lines.ts';
import { operatorFaults } from './operatorFaults.ts';
import { queueFaults } from './queueFaults.ts';
import { settlementFaults } from './settlementFaults.ts';
import { sweepFaults } from './sweepFaults.ts';
import { transactionFaults } from './transactionFaults.ts';

// On the way of the money behind the gateways: queue, transactions, settlement, and the operator's commands.
const { lines, detours: { workersToRedis, workersToPostgres } } = layLines();
const fault = openMatrix({ detours: { workersToRedis: workersToRedis!, workersToPostgres: workersToPostgres! } });
for (const register of [queueFaults, transactionFaults]) register(fault, lines);
for (const register of [sweepFaults, settlementFaults, operatorFaults]) register(fault);
