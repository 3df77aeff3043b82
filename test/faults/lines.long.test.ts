import { absenceFaults } from './kinds/absenceFaults.ts';
import { openMatrix } from './fault.ts';
import { openLines } from './means/lines.ts';
import { redisLineFaults } from './kinds/redisLineFaults.ts';
import { userLineFaults } from './kinds/userLineFaults.ts';

// Slow, cut or dead connections around the gateways of one deployment.
const {
  lines,
  detours: { usersToGateways, gatewaysToRedis },
} = openLines();
const fault = openMatrix({ detours: { usersToGateways: usersToGateways!, gatewaysToRedis: gatewaysToRedis! } });
for (const register of [userLineFaults, absenceFaults, redisLineFaults]) register(fault, lines);
