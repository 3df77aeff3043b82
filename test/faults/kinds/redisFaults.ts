import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import type { Fault } from '../fault.ts';
import { answeredInTime } from '../users/patience.ts';
import type { Scene } from '../run.ts';

/** Longer than the timeout of a command, and shorter than a user waits. */
const ANSWER_MS_MAX = 3_000;

function check(scene: Scene): string[] {
  const late = [...scene.crowd.records].filter(
    ([, { answerMsMax }]) => answerMsMax > ANSWER_MS_MAX + scene.stoodStillMs(),
  );
  return [
    ...late.map(([userId, { answerMsMax }]) => `${userId} waited ${answerMsMax} ms for an answer`),
    ...answeredInTime(scene),
  ];
}

/** Waits for the first win: otherwise the rain could end without any, and the test would show nothing. */
function freezeFor(ms: number) {
  return async ({ redis, crowd }: Scene): Promise<number> => {
    await eventually(() => crowd.winners().length > 0);
    const brokenAt = Date.now();
    redis.freeze();
    await sleep(ms);
    redis.thaw();
    return brokenAt;
  };
}

export function redisFaults(fault: Fault): void {
  fault('kill -9 of Redis, started again on its data', async ({ redis, random }) => {
    await redis.kill();
    await random.pause(0, 1_000);
    await redis.start();
  });

  fault('SIGSTOP of Redis for 2 s', freezeFor(2_000), { check });

  fault('SIGSTOP of Redis for 10 s', freezeFor(10_000), { when: 'swing', check, slow: true });
}
