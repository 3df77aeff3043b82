import { describe } from 'vitest';
import { asked, openMatrix } from './fault.ts';
import { gatewayFaults } from './kinds/gatewayFaults.ts';
import { relayFaults } from './kinds/relayFaults.ts';

// A gateway and a worker, whose relay it is, are killed once. The files of `npm run test:long` have all faults, with
// more runs.
describe.skipIf(asked)('once', () => {
  const fault = openMatrix({}, { short: true });
  for (const register of [gatewayFaults, relayFaults]) register(fault);
});
