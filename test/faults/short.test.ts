import { describe } from 'vitest';
import { asked, openMatrix } from './fault.ts';
import { gatewayFaults } from './gatewayFaults.ts';
import { layLines } from './lines.ts';
import { postgresFaults } from './postgresFaults.ts';
import { redisFaults } from './redisFaults.ts';
import { redisLineFaults } from './redisLineFaults.ts';
import { relayFaults } from './relayFaults.ts';
import { settlementFaults } from './settlementFaults.ts';
import { transactionFaults } from './transactionFaults.ts';
import { userLineFaults } from './userLineFaults.ts';
import { workerFaults } from './workerFaults.ts';

// Each part that can die or be cut off, once; all of it, and more often, is in the files of `npm run test:long`.
describe.skipIf(asked)('once', () => {
  const { lines, detours } = layLines();
  const fault = openMatrix({ detours }, { short: true });
  for (const register of [gatewayFaults, relayFaults, workerFaults, redisFaults, postgresFaults, settlementFaults]) register(fault);
  for (const register of [userLineFaults, redisLineFaults, transactionFaults]) register(fault, lines);
});
