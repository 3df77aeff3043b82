import { setTimeout as sleep } from 'node:timers/promises';
import { openMatrix } from './fault.ts';
import type { Scene } from './run.ts';

const fault = openMatrix();

fault('kill -9 of Redis, started again on its data', async ({ redis, random }) => {
  await redis.kill();
  await random.pause(0, 1_000);
  await redis.start();
});

/** Longer than a command may take, and still an answer while somebody waits for it. */
const ANSWER_MS_MAX = 3_000;

function check({ crowd }: Scene): string[] {
  return [...crowd.told].flatMap(([userId, { answerMsMax, silences }]) => [
    ...(answerMsMax > ANSWER_MS_MAX ? [`${userId} waited ${answerMsMax} ms for an answer`] : []),
    ...(silences > 0 ? [`${userId} was left without an answer`] : []),
  ]);
}

function freezeFor(ms: number) {
  return async ({ redis }: Scene): Promise<void> => {
    redis.freeze();
    await sleep(ms);
    redis.thaw();
  };
}

fault('SIGSTOP of Redis for 2 s', freezeFor(2_000), { check });
fault('SIGSTOP of Redis for 10 s', freezeFor(10_000), { when: 'swing', check, slow: true });
