// Opens three things of which each prints how much time it is given to close; the first takes ten seconds, the second
// as many, by a clock that nothing else moves.
import { createShutdown } from '../../../../dist/platform/process/shutdown.js';

let time = 1_000;
performance.now = () => time;
const print = (line) => process.stdout.write(`${line}\n`);
const shutdown = createShutdown({ deadlineMs: 20_000, report: print });
const slow = (leftMs) => {
  print(leftMs);
  time += 10_000;
};
shutdown.onClose('third', (leftMs) => print(leftMs));
shutdown.onClose('second', slow);
shutdown.onClose('first', slow);
setInterval(() => {}, 1_000);
print('open');
