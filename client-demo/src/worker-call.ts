/**
 * Sends a worker on one errand: it is told once, answers once, and is ended, whatever comes of it.
 * @throws when it could not be loaded, or is not back in time
 */
export function callWorker<Answer>(worker: Worker, order: unknown, msMax: number): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      worker.terminate();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error('the worker took too long'))), msMax);
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => end(() => resolve(data)));
    worker.addEventListener('error', () => end(() => reject(new Error('the worker could not be loaded'))));
    worker.postMessage(order);
  });
}
