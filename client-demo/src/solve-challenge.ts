import type { Challenge, ChallengeSolution } from '../../src/protocol/proofOfWork.ts';
import { callWorker } from './worker-call.ts';

/** As long as a challenge is good for. */
const SOLVE_MS_MAX = 120_000;

/** @returns `undefined` when it was in vain. @throws when the solver could not be loaded, or not in time */
export function solveInBackground(challenge: Challenge): Promise<ChallengeSolution | undefined> {
  return callWorker(new Worker(new URL('./challenge-worker.ts', import.meta.url), { type: 'module' }), challenge, SOLVE_MS_MAX);
}
