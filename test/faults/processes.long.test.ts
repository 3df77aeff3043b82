import { openMatrix } from './fault.ts';
import { gatewayFaults } from './gatewayFaults.ts';
import { postgresFaults } from './postgresFaults.ts';
import { redisFaults } from './redisFaults.ts';
import { relayFaults } from './relayFaults.ts';
import { settingsFaults } from './settingsFaults.ts';
import { workerFaults } from './workerFaults.ts';

// The processes of one deployment are killed, stopped, frozen or misconfigured.
const fault = openMatrix();
for (const register of [gatewayFaults, relayFaults, workerFaults, redisFaults, settingsFaults, postgresFaults]) register(fault);
