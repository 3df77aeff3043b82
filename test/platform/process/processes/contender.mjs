// Tries to take the home of its first argument once told to, says whether it has it, and keeps it until it is killed.
import { once } from 'node:events';
import { acquireLock } from '../../../../dist/platform/process/homeLock.js';

setInterval(() => {}, 1_000);
const told = once(process, 'SIGUSR2');
process.stdout.write('waiting\n');
await told;
const result = await acquireLock(process.argv[2]);
process.stdout.write(`${result.ok ? 'held' : `refused by ${result.holder.pid}`}\n`);
