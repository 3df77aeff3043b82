import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import type { Fault } from './fault.ts';
import { answeredInTime } from './patience.ts';
import type { Scene } from './run.ts';

/** Longer than a command may take, and still an answer while somebody waits for it. */
const ANSWER_MS_MAX = 3_000;

function check(scene: Scene): string[] {
  const late = [...scene.crowd.told].filter(([, { answerMsMax }]) => answerMsMax > ANSWER_MS_MAX + scene.stoodStillMs());
  return [...late.map(([userId, { answerMsMax }]) => `${userId} waited ${answerMsMax} ms for an answer`), ...answeredInTime(scene)];
}

/** From the first win on: a rain that is over before Redis answers again would else have none, and show nothing. */
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
  }, { short: true });

  fault('SIGSTOP of Redis for 2 s', freezeFor(2_000), { check });

  fault('SIGSTOP of Redis for 10 s', freezeFor(10_000), { when: 'swing', check, slow: true });
}
