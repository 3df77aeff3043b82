import { armDeath, untilDeath } from '../means/death.ts';
import type { Fault } from '../fault.ts';

// Fewer users than packets, so that there is money to recycle.
const rain = { users: 200, packets: 250 };

export function settlementFaults(fault: Fault): void {
  fault(
    'kill -9 of a worker around the settlement',
    async ({ workers, random }) => {
      const worker = random.pick(workers);
      await worker.kill();
      await random.pause(0, 800);
      await worker.start();
    },
    { when: 'end', rain },
  );

  fault(
    'kill -9 of all workers around the settlement',
    async ({ workers, random }) => {
      await Promise.all(workers.map((worker) => worker.kill()));
      await random.pause(0, 800);
      await Promise.all(workers.map((worker) => worker.start()));
    },
    { when: 'end', rain, slow: true },
  );

  fault('kill -9 of the settler between recycling and closing the book', untilDeath, {
    when: 'end',
    rain,
    prepare: (scene) => armDeath(scene, 'recycled', 1),
  });

  fault('kill -9 of the settler between the book and Redis', untilDeath, {
    when: 'end',
    rain,
    prepare: (scene) => armDeath(scene, 'settled', 1),
  });
}
