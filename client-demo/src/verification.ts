import { callWorker } from './worker-call.ts';
import type { Proof, Provable } from './round.ts';

/** A slow phone needs a minute for the largest rain. */
const VERIFY_MS_MAX = 180_000;

/** @throws if the verifier could not be loaded or took too long. A retry is harmless. */
export function verifyInBackground(shown: Provable): Promise<Proof> {
  return callWorker(new Worker(new URL('./verification-worker.ts', import.meta.url), { type: 'module' }), shown, VERIFY_MS_MAX);
}
