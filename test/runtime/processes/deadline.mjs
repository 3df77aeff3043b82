// Opens three things of which each prints how much time it is given to close; the first two use up a second.
import { setTimeout as sleep } from 'node:timers/promises';
import { createShutdown } from '../../../dist/runtime/shutdown.js';

const print = (line) => process.stdout.write(`${line}\n`);
const shutdown = createShutdown({ deadlineMs: 2_000, report: print });
const slow = async (leftMs) => { print(leftMs); await sleep(1_000 - (leftMs < 1_000 ? 450 : 0)); };
shutdown.onClose('third', (leftMs) => print(leftMs));
shutdown.onClose('second', slow);
shutdown.onClose('first', slow);
setInterval(() => {}, 1_000);
print('open');
