// Turns for ever without I/O, as a library did that retried an error at once.
import { watchLoop } from '../../../../dist/platform/process/loopWatchdog.js';

watchLoop('script', { beatMs: 50, stillMsMax: 500 });
process.on('SIGTERM', () => process.exit(0));
process.stdout.write('open\n');
for (;;) await Promise.resolve();
