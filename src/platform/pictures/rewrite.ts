import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createSemaphore } from '../concurrency/semaphore.ts';
import { compiledEntry } from '../process/childProcess.ts';

export interface RewriteTask {
  bytes: Uint8Array;
  type: 'image/png' | 'image/jpeg' | 'image/webp';
  /** The quality of the result falls for it, within reason: it may still be larger. */
  bytesMax: number;
}

/** 16 million pixels take some 5 s of a core [R10]. */
const REWRITTEN_WITHIN_MS = 20_000;

/** One thread at a time: it takes one core at most, and the memory of one picture [R10]. */
const inTurn = createSemaphore(1);

/**
 * Unpacks a picture and writes it anew as a still WebP without anything that a camera or an editor has written beside
 * its pixels. The decoders are WebAssembly in a thread of its own: a picture that breaks one reaches nothing of this
 * process. The caller has bounded the number of pixels.
 * @returns `undefined`: it cannot be unpacked, or not in time
 */
export async function rewritePicture(task: RewriteTask): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return inTurn(async () => {
    const thread = new Worker(compiledEntry('platform/pictures/rewriteWorker.js'), {
      workerData: task,
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    try {
      const [written] = (await once(thread, 'message', { signal: AbortSignal.timeout(REWRITTEN_WITHIN_MS) })) as [
        Uint8Array<ArrayBuffer> | undefined,
      ];
      return written;
    } catch {
      return undefined;
    } finally {
      await thread.terminate();
    }
  });
}
