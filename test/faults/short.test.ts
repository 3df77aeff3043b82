import { describe } from 'vitest';
import { asked, openMatrix } from './fault.ts';
import { gatewayFaults } from './gatewayFaults.ts';
import { openLines } from './lines.ts';
import { postgresFaults } from './postgresFaults.ts';
import { redisFaults } from './redisFaults.ts';
import { redisLineFaults } from './redisLineFaults.ts';
import { relayFaults } from './relayFaults.ts';
import { settlementFaults } from './settlementFaults.ts';
import { transactionFaults } from './transactionFaults.ts';
import { userLineFaults } from './userLineFaults.ts';
import { workerFaults } from './workerFaults.ts';

// Each important fault once. The files of `npm run test:long` have all faults, with more runs.
describe.skipIf(asked)('once', () => {
  const { lines, detours } = openLines();
  const fault = openMatrix({ detours }, { short: true });
  for (const register of [gatewayFaults, relayFaults, workerFaults, redisFaults, postgresFaults, settlementFaults]) register(fault);
  for (const register of [userLineFaults, redisLineFaults, transactionFaults]) register(fault, lines);
});
