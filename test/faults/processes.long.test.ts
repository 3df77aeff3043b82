import { openMatrix } from './fault.ts';
import { gatewayFaults } from './kinds/gatewayFaults.ts';
import { postgresFaults } from './kinds/postgresFaults.ts';
import { redisFaults } from './kinds/redisFaults.ts';
import { relayFaults } from './kinds/relayFaults.ts';
import { settingsFaults } from './kinds/settingsFaults.ts';
import { workerFaults } from './kinds/workerFaults.ts';

// The processes of a deployment are killed, stopped, frozen or misconfigured.
const fault = openMatrix({}, { atOnce: 2 });
for (const register of [gatewayFaults, relayFaults, workerFaults, redisFaults, settingsFaults, postgresFaults])
  register(fault);
