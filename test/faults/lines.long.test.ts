import { absenceFaults } from './absenceFaults.ts';
import { openMatrix } from './fault.ts';
import { openLines } from './lines.ts';
import { redisLineFaults } from './redisLineFaults.ts';
import { userLineFaults } from './userLineFaults.ts';

// Slow, cut or dead connections around the gateways of one deployment.
const { lines, detours: { usersToGateways, gatewaysToRedis } } = openLines();
const fault = openMatrix({ detours: { usersToGateways: usersToGateways!, gatewaysToRedis: gatewaysToRedis! } });
for (const register of [userLineFaults, absenceFaults, redisLineFaults]) register(fault, lines);
