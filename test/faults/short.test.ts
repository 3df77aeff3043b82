import { describe } from 'vitest';
import { asked, openMatrix } from './fault.ts';
import { gatewayFaults } from './kinds/gatewayFaults.ts';
import { postgresFaults } from './kinds/postgresFaults.ts';
import { redisFaults } from './kinds/redisFaults.ts';
import { relayFaults } from './kinds/relayFaults.ts';
import { workerFaults } from './kinds/workerFaults.ts';

// Each process is killed once. The files of `npm run test:long` have all faults, those of the lines too, with more
// runs.
describe.skipIf(asked)('once', () => {
  const fault = openMatrix({}, { short: true });
  for (const register of [gatewayFaults, relayFaults, workerFaults, redisFaults, postgresFaults]) register(fault);
});
