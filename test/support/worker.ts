import { startWorker, type WorkerProcess, type WorkerSettings } from '../../src/bin/servers/worker.ts';
import { createLog } from '../../src/runtime/log.ts';

/** Relay, credit worker, settler and sweeper of this test's own, in this process. */
export function openWorker({ redisUrl, databaseUrl }: { redisUrl: string; databaseUrl: string }, settings: WorkerSettings = {}): Promise<WorkerProcess> {
  return startWorker(redisUrl, databaseUrl, createLog('worker', 'silent'), settings);
}
