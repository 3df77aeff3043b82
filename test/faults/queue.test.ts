import { eventually } from '../support/eventually.ts';
import { openMatrix } from './fault.ts';
import { reachIntoQueue } from './queueHand.ts';
import { lockTransfers } from './tableLock.ts';
import { openTripwire, type Tripwire } from './tripwire.ts';

let line: Tripwire;
const fault = openMatrix({ detours: { workersToRedis: async (port) => (line = await openTripwire(port)) } });

// Somebody wins to the end, so that there is always another job to come.
const rain = { packets: 290, windowMs: 2_500 };

const KILLS = 2;

// By default such a job is failed for good, whatever attempts it has left.
fault('kill -9 of all workers twice in the middle of the same job', async ({ databaseUrl, env, workers, random }) => {
  const queue = reachIntoQueue(env['REDIS_URL']!);
  const lock = await lockTransfers(databaseUrl);
  try {
    const [job] = await eventually(async () => {
      const active = await queue.active();
      return active.length > 0 && active;
    });
    const struckAt = Date.now();
    for (let kill = 1; kill <= KILLS; kill++) {
      await Promise.all(workers.map((worker) => worker.kill()));
      await queue.runOut(await queue.active());
      await random.pause(0, 300);
      await Promise.all(workers.map((worker) => worker.start()));
      await eventually(async () => (await queue.active()).some(({ id, stalledCounter }) => id === job!.id && stalledCounter === kill), { timeoutMs: 20_000 });
    }
    return struckAt;
  } finally {
    await lock.release();
    await queue.close();
  }
}, { when: 'swing', rain });

fault('the queue has the claims, and its answer to the relay is lost, three times', async () => {
  const before = line.trips();
  // As it stands in the job and nowhere else on this line.
  line.arm('"entries":[', 3);
  await eventually(() => line.trips() === before + 3, { timeoutMs: 10_000 });
}, { when: 'swing', rain });
