import { absenceFaults } from './absenceFaults.ts';
import { openMatrix } from './fault.ts';
import { layLines } from './lines.ts';
import { redisLineFaults } from './redisLineFaults.ts';
import { userLineFaults } from './userLineFaults.ts';

// Slow, cut or dead: the lines around the gateways of one deployment.
const { lines, detours: { usersToGateways, gatewaysToRedis } } = layLines();
const fault = openMatrix({ detours: { usersToGateways: usersToGateways!, gatewaysToRedis: gatewaysToRedis! } });
for (const register of [userLineFaults, absenceFaults, redisLineFaults]) register(fault, lines);
