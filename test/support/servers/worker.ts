import { startWorker, type WorkerOptions, type WorkerProcess } from '../../../src/bin/servers/worker.ts';
import { signer } from '../signer.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';

/** Relay, credit worker, settler and redelivery of this test's own, in this process. */
export function openWorker(
  { redisUrl, databaseUrl }: { redisUrl: string; databaseUrl: string },
  options?: Partial<WorkerOptions>,
): Promise<WorkerProcess> {
  return startWorker(redisUrl, databaseUrl, createLog('worker', 'silent'), { signer, ...options });
}
