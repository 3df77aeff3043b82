// Holds the set-up's lock of the folder in its first argument until it is killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { exclusively } from '../../../src/bin/setup/lock.mjs';

await exclusively(
  process.argv[2],
  async () => {
    process.stdout.write('holds\n');
    await sleep(600_000);
  },
  () => {},
);
