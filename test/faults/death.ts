import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Deployment } from './deployment.ts';
import type { Scene } from './run.ts';

const DIE_AT = fileURLToPath(new URL('dieAt.mjs', import.meta.url));

/** Where a worker can be made to kill itself, see dieAt.mjs. */
type Moment = 'added' | 'credited' | 'recycled' | 'settled';

/** Leaves one worker, alone, which will die when it comes to this moment with the nth claim, or the nth time where it is of no claim. */
export async function doom({ workers }: Pick<Deployment, 'workers'>, moment: Moment, nth: number): Promise<void> {
  const [doomed] = workers;
  await Promise.all(workers.map((worker) => worker.stop()));
  await doomed!.start({ NODE_OPTIONS: `--import ${DIE_AT}`, FAULTS_DIE_AT: `${moment}:${nth}` });
  doomed!.announceEnd();
}

/** It has all of the window and the settlement to come there, on a machine that is busy, too. */
const DEATH_MS_MAX = 45_000;

/** Waits for that death, and after a while starts all workers anew. @returns when it died, epoch ms */
export async function untilDeath({ workers, random }: Scene): Promise<number> {
  const [doomed] = workers;
  const died = await Promise.race([doomed!.ended().then(() => true), sleep(DEATH_MS_MAX, false)]);
  if (!died) throw new Error('the worker never came to the moment of its death');
  const diedAt = Date.now();
  await random.pause(0, 500);
  await Promise.all(workers.map((worker) => worker.start()));
  return diedAt;
}
