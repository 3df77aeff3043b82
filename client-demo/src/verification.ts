import { callWorker } from './worker-call.ts';
import type { Proof, Provable } from './round.ts';

/** A slow phone needs a minute for the largest rain; what takes longer will not come. */
const VERIFY_MS_MAX = 180_000;

/** @throws when the verifier could not be loaded, or not in time; asking again is harmless */
export function verifyInBackground(shown: Provable): Promise<Proof> {
  return callWorker(new Worker(new URL('./verification-worker.ts', import.meta.url), { type: 'module' }), shown, VERIFY_MS_MAX);
}
