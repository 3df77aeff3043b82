import { startWorker, type WorkerOptions, type WorkerProcess } from '../../../src/bin/servers/worker.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';

/** Relay, credit worker, settler and redelivery of this test's own, in this process. */
export function openWorker({ redisUrl, databaseUrl }: { redisUrl: string; databaseUrl: string }, options?: WorkerOptions): Promise<WorkerProcess> {
  return startWorker(redisUrl, databaseUrl, createLog('worker', 'silent'), options);
}
