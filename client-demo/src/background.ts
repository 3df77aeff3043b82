import type { Challenge, ChallengeSolution } from '../../src/protocol/proofOfWork.ts';
import type { Proof, Provable } from './round.ts';

// Neither worker is a module: older browsers start only scripts as workers.

/** Lifetime of a challenge. */
const SOLVE_MS_MAX = 120_000;
/** A slow phone needs a minute for the largest rain. */
const VERIFY_MS_MAX = 180_000;

/** @returns `undefined` if there is no solution. @throws if the solver could not be loaded or took too long */
export function solveInBackground(challenge: Challenge): Promise<ChallengeSolution | undefined> {
  return callWorker(new Worker(new URL('./challenge-worker.ts', import.meta.url)), challenge, SOLVE_MS_MAX);
}

/** @throws if the verifier could not be loaded or took too long. A retry is harmless. */
export function verifyInBackground(shown: Provable): Promise<Proof> {
  return callWorker(new Worker(new URL('./verification-worker.ts', import.meta.url)), shown, VERIFY_MS_MAX);
}

/** Sends one message to a worker, waits for its one answer, and terminates it in any case. */
function callWorker<Answer>(worker: Worker, message: unknown, msMax: number): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      worker.terminate();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error('the worker took too long'))), msMax);
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => end(() => resolve(data)));
    worker.addEventListener('error', () => end(() => reject(new Error('the worker could not be loaded'))));
    worker.postMessage(message);
  });
}
