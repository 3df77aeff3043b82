import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import { compiledEntry } from '../platform/process/childProcess.ts';
import type { Refused } from './context.ts';
import { packetsOfPreview, previewRain, type Preview } from './preview.ts';

/** Drawn at once, in a few milliseconds: a thread takes longer to start. */
const PACKETS_AT_ONCE_MAX = 20_000;
/** A million packets take less than a second of a core. */
const DRAWN_WITHIN_MS = 15_000;

/** One thread at a time: it takes one core at most, and the memory of one preview [R10]. */
const inTurn = createSemaphore(1);

/** As `previewRain`, for a process that serves others meanwhile: a large plan is drawn in a thread of its own. */
export async function previewAside(plan: unknown, draws: number): Promise<Preview | Refused> {
  if (packetsOfPreview(plan, draws) <= PACKETS_AT_ONCE_MAX) return previewRain(plan, draws);
  return inTurn(async () => {
    const thread = new Worker(compiledEntry('operator/previewWorker.js'), {
      workerData: { plan, draws },
      execArgv: [],
    });
    try {
      const [preview] = (await once(thread, 'message', { signal: AbortSignal.timeout(DRAWN_WITHIN_MS) })) as [
        Preview | Refused,
      ];
      return preview;
    } finally {
      await thread.terminate();
    }
  });
}
