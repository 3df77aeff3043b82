import type { Challenge, ChallengeSolution } from '../../src/protocol/proofOfWork.ts';
import { callWorker } from './worker-call.ts';

/** Lifetime of a challenge. */
const SOLVE_MS_MAX = 120_000;

/** @returns `undefined` if there is no solution. @throws if the solver could not be loaded or took too long */
export function solveInBackground(challenge: Challenge): Promise<ChallengeSolution | undefined> {
  return callWorker(new Worker(new URL('./challenge-worker.ts', import.meta.url), { type: 'module' }), challenge, SOLVE_MS_MAX);
}
