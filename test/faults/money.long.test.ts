import { openMatrix } from './fault.ts';
import { openLines } from './means/lines.ts';
import { queueFaults } from './kinds/queueFaults.ts';
import { transactionFaults } from './kinds/transactionFaults.ts';

// Faults behind the gateways: queue and transactions.
const { lines, detours: { workersToRedis, workersToPostgres } } = openLines();
const fault = openMatrix({ detours: { workersToRedis: workersToRedis!, workersToPostgres: workersToPostgres! } });
for (const register of [queueFaults, transactionFaults]) register(fault, lines);
