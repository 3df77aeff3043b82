// A child of `startChild` that behaves as its first argument says.
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithParent, sendFailed, sendReady } from '../../../../dist/platform/process/ipc.js';

const [behaviour] = process.argv.slice(2);
if (behaviour === 'ready') {
  endWithParent(() => {});
  await sendReady({ port: 1234, greeting: process.env.GREETING });
}
if (behaviour === 'fails') {
  await sendFailed('port 1234 is in use');
  process.exit(1);
}
if (behaviour === 'crashes') throw new Error('out of luck');
if (behaviour === 'babbles') process.send({ something: 'else' });
if (behaviour === 'deaf') {
  process.on('SIGTERM', () => {});
  await sendReady({ port: 1234 });
}
await sleep(600_000);
