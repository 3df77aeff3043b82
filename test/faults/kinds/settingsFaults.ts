import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/freePort.ts';
import type { Fault } from '../fault.ts';
import { answeredInTime } from '../users/patience.ts';
import type { FaultOptions } from '../run.ts';

// Redis runs and answers, but refuses writes.

// Long enough to continue after the fault.
const rain = { packets: 290, windowMs: 4_500, arrivalsMs: 2_000 };

/** Users who could have won are told in time to retry. */
const check: NonNullable<FaultOptions['check']> = async (scene) => [
  ...([...scene.crowd.records.values()].some(({ busy }) => busy > 0) ? [] : ['no user was answered "busy"']),
  ...answeredInTime(scene),
];

export function settingsFaults(fault: Fault): void {
  // As Sentinel or an operator does to a supposed old master. The port is unused, because a real master would replace
  // its data.
  fault(
    'Redis is told to be a replica, which takes no writes, for 2 s',
    async ({ context }) => {
      const unusedPort = await freePort();
      await context.redis.call('REPLICAOF', '127.0.0.1', unusedPort);
      await sleep(2_000);
      await context.redis.call('REPLICAOF', 'NO', 'ONE');
    },
    { when: 'swing', rain, check },
  );

  fault(
    'Redis has no memory left for 2 s',
    async ({ context }) => {
      await context.redis.config('SET', 'maxmemory', '1mb');
      await sleep(2_000);
      await context.redis.config('SET', 'maxmemory', '0');
    },
    { when: 'swing', rain, check },
  );

  fault(
    'the user of Redis may run no script for 2 s',
    async ({ context }) => {
      await context.redis.call('ACL', 'SETUSER', 'default', '-eval', '-evalsha');
      await sleep(2_000);
      await context.redis.call('ACL', 'SETUSER', 'default', '+eval', '+evalsha');
    },
    { when: 'swing', rain, check },
  );

  // Redis cuts connections that listen to a channel which their user has lost.
  fault(
    'the user of Redis loses its channels for 2 s',
    async ({ context }) => {
      await context.redis.call('ACL', 'SETUSER', 'default', 'resetchannels');
      await sleep(2_000);
      await context.redis.call('ACL', 'SETUSER', 'default', '&*');
    },
    { when: 'swing', rain },
  );
}
