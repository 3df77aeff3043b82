import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/freePort.ts';
import type { Fault } from './fault.ts';
import { answeredInTime } from './patience.ts';
import type { FaultOptions } from './run.ts';

// A Redis that runs and answers, and takes nothing.

// It goes on when Redis does.
const rain = { packets: 290, windowMs: 4_500, arrivalsMs: 2_000 };

/** Who could have won is told to ask again, and is told it in time. */
const check: NonNullable<FaultOptions['check']> = async (scene) => [
  ...([...scene.crowd.told.values()].some(({ busy }) => busy > 0) ? [] : ['nobody was told that Redis took nothing']),
  ...answeredInTime(scene),
];

export function settingsFaults(fault: Fault): void {
  // As a Sentinel, or a hand, does to a master that it takes for the old one. There is nobody to copy from, or its data would go.
  fault('Redis is told to be a replica, which takes no writes, for 2 s', async ({ context }) => {
    const nobody = await freePort();
    await context.redis.call('REPLICAOF', '127.0.0.1', nobody);
    await sleep(2_000);
    await context.redis.call('REPLICAOF', 'NO', 'ONE');
  }, { when: 'swing', rain, check });

  fault('Redis has no memory left for 2 s', async ({ context }) => {
    await context.redis.config('SET', 'maxmemory', '1mb');
    await sleep(2_000);
    await context.redis.config('SET', 'maxmemory', '0');
  }, { when: 'swing', rain, check });
}
