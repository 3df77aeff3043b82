/**
 * Sends one message to a worker, waits for its one answer, and terminates it in any case.
 * @throws if it could not be loaded or took too long
 */
export function callWorker<Answer>(worker: Worker, message: unknown, msMax: number): Promise<Answer> {
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
