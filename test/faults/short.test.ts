import { describe } from 'vitest';
import { asked, openMatrix } from './fault.ts';
import { gatewayFaults } from './kinds/gatewayFaults.ts';
import { openLines } from './means/lines.ts';
import { postgresFaults } from './kinds/postgresFaults.ts';
import { redisFaults } from './kinds/redisFaults.ts';
import { redisLineFaults } from './kinds/redisLineFaults.ts';
import { relayFaults } from './kinds/relayFaults.ts';
import { transactionFaults } from './kinds/transactionFaults.ts';
import { userLineFaults } from './kinds/userLineFaults.ts';
import { workerFaults } from './kinds/workerFaults.ts';

// Each important fault once. The files of `npm run test:long` have all faults, with more runs.
describe.skipIf(asked)('once', () => {
  const { lines, detours } = openLines();
  const fault = openMatrix({ detours }, { short: true });
  for (const register of [gatewayFaults, relayFaults, workerFaults, redisFaults, postgresFaults]) register(fault);
  for (const register of [userLineFaults, redisLineFaults, transactionFaults]) register(fault, lines);
});
