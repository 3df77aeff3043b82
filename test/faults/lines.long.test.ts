import { absenceFaults } from './kinds/absenceFaults.ts';
import { openMatrix } from './fault.ts';
import { openLines } from './means/lines.ts';
import { redisLineFaults } from './kinds/redisLineFaults.ts';
import { workerLineFaults } from './kinds/workerLineFaults.ts';
import { userLineFaults } from './kinds/userLineFaults.ts';

// Slow, cut or dead connections between the processes of one deployment.
const { lines, detours } = openLines();
const fault = openMatrix({ detours });
for (const register of [userLineFaults, absenceFaults, redisLineFaults, workerLineFaults]) register(fault, lines);
