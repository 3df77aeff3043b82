// Opens three things, prints their closing, and takes for the second as long as its first argument says; the other is
// the deadline.
import { setTimeout as sleep } from 'node:timers/promises';
import { createShutdown } from '../../../../dist/platform/process/shutdown.js';

const print = (line) => process.stdout.write(`${line}\n`);
const shutdown = createShutdown({ deadlineMs: Number(process.argv[3]), report: print });
shutdown.onClose('first', () => print('closed first'));
shutdown.onClose('second', () => sleep(Number(process.argv[2])));
shutdown.onClose('third', () => {
  print('closed third');
  throw new Error('it stuck');
});
shutdown.signal.addEventListener('abort', () => print('aborted'));
setInterval(() => {}, 1_000);
print('open');
