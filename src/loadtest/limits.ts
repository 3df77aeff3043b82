import { SOCKETS_PER_PROCESS_MAX } from './processes/openFiles.ts';

/** Limits of a wave. A separate file, so that a command can show them without loading the load test. */

/** Users of a whole wave, over all processes [R10]. */
export const USERS_MAX = 1_000_000;
/** Buyers of one swarm: it is one process. */
export const BUYERS_MAX = SOCKETS_PER_PROCESS_MAX;
const REACTION_MS_MAX = 600_000;

/** @throws RangeError with one sentence */
export function within(name: string, value: number, least: number, most: number): void {
  if (!(Number.isInteger(value) && value >= least && value <= most))
    throw new RangeError(`expected ${name} from ${least} to ${most}, got ${value}`);
}

/** The same for the limits of reaction times. */
export function checkReaction({ min, max }: { min: number; max: number }): void {
  within('reactionMs.min', min, 0, REACTION_MS_MAX);
  within('reactionMs.max', max, min, REACTION_MS_MAX);
}
