import type { Proof, Provable } from './round.ts';

/** A slow phone needs a minute for the largest rain; what takes longer will not come. */
const VERIFY_MS_MAX = 180_000;

/** @throws when the verifier could not be loaded, or not in time; asking again is harmless */
export function verifyInBackground(shown: Provable): Promise<Proof> {
  return new Promise<Proof>((resolve, reject) => {
    const worker = new Worker(new URL('./verifier.ts', import.meta.url), { type: 'module' });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      worker.terminate();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error('the verifier took too long'))), VERIFY_MS_MAX);
    worker.addEventListener('message', ({ data }: MessageEvent<Proof>) => end(() => resolve(data)));
    worker.addEventListener('error', () => end(() => reject(new Error('the verifier could not be loaded'))));
    worker.postMessage(shown);
  });
}
