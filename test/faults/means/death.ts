import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Deployment } from '../deployment.ts';
import type { Scene } from '../run.ts';

const DIE_AT = fileURLToPath(new URL('dieAt.mjs', import.meta.url));

/** The moments at which a worker can kill itself, see dieAt.mjs. */
type Moment =
  | 'added'
  | 'credited'
  | 'recycled'
  | 'settled'
  | 'ordered'
  | 'following'
  | 'followed'
  | 'cancelled'
  | 'expired'
  | 'sale-settled';

/**
 * Leaves only one worker running. It kills itself at this moment with the nth claim, or at the nth time if the moment
 * has no claim.
 */
export async function armDeath({ workers }: Pick<Deployment, 'workers'>, moment: Moment, nth: number): Promise<void> {
  const [doomed] = workers;
  await Promise.all(workers.map((worker) => worker.stop()));
  await doomed!.start({ entry: DIE_AT, env: { FAULTS_DIE_AT: `${moment}:${nth}` } });
  doomed!.announceEnd();
}

/** Enough for the whole window and the settlement, even on a busy machine. */
const DEATH_MS_MAX = 45_000;

/**
 * Waits for that death, and restarts all workers after a random pause.
 * @param meanwhile the work that has to happen without any worker
 * @returns when the worker died, epoch ms
 */
export async function untilDeath(
  { workers, random }: Pick<Scene, 'workers' | 'random'>,
  meanwhile?: () => Promise<unknown>,
): Promise<number> {
  const [doomed] = workers;
  const died = await Promise.race([doomed!.ended().then(() => true), sleep(DEATH_MS_MAX, false)]);
  if (!died) throw new Error('the worker never reached the moment of its death');
  const diedAt = Date.now();
  await meanwhile?.();
  await random.pause(0, 500);
  await Promise.all(workers.map((worker) => worker.start()));
  return diedAt;
}
