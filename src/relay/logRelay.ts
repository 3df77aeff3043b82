import { randomUUID } from 'node:crypto';
import type { JobQueue } from '../credit/queue.ts';
import { WAITING_JOBS_MAX } from '../credit/queueLoad.ts';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';
import { carryLog, resendRange, type Carried, type CarryDependencies } from './carry.ts';
import type { CarriedLog } from './carriedLog.ts';
import { createLeases } from './lease.ts';

export interface RelayOptions<Job> extends Omit<CarryDependencies<Job>, 'leases' | 'queue'> {
  queue: JobQueue<Job>;
  log: Logger;
  /** Unique among all relays of all processes. */
  owner?: string;
  leaseMs?: number;
  /** How long another relay may hold the lease of a log in which nothing moves. */
  leasedMs?: number;
  /** Pause after a round that carried something, and after an idle round. After a full batch there is no pause. */
  busyMs?: number;
  idleMs?: number;
  /** While more jobs than this wait for a worker, entries stay in their log, where they cost nothing [R10]. */
  waitingJobsMax?: number;
}

/** Which logs a relay carries. */
interface LogSource<Job> {
  /** The kind of entries, in a line of our own log. */
  entries: 'claims' | 'reservations';
  live(): Promise<readonly CarriedLog<Job>[]>;
}

/**
 * THE RELAY: logs → queue. It decides nothing, and several relays may run at once.
 * @param options.redis with purpose `once`; `queue` has a connection of its own
 */
export function createLogRelay<Job>(source: LogSource<Job>, options: RelayOptions<Job>) {
  const {
    redis,
    queue,
    log,
    owner = randomUUID(),
    leaseMs,
    leasedMs,
    busyMs = 25,
    idleMs = 250,
    waitingJobsMax = WAITING_JOBS_MAX,
  } = options;
  const leases = createLeases(redis, owner, leaseMs, leasedMs);
  const parts: CarryDependencies<Job> = { ...options, leases };
  const failing = new Set<string>();
  let running: Loop | undefined;

  const visit = (carried: CarriedLog<Job>) =>
    reportingFault(failing, carried.keys.log, () => carryLog(parts, carried), {
      began: (error) =>
        log.warn({ ...carried.label, error: String(error) }, `${source.entries} cannot be carried, will try again`),
      over: () => log.info(carried.label, `${source.entries} are carried again`),
    });

  async function visitAll(): Promise<Carried> {
    const logs = await source.live();
    const waiting = logs.length === 0 ? 0 : await queue.getJobCountByTypes('waiting', 'delayed');
    if (waiting >= waitingJobsMax) return 'idle';
    const results = await Promise.all(logs.map(visit));
    return results.includes('more') ? 'more' : results.includes('carried') ? 'carried' : 'idle';
  }

  const round = async () =>
    (await reportingFault(failing, '', visitAll, {
      began: (error) =>
        log.warn({ error: String(error) }, `the relay cannot read the logs of ${source.entries}, will try again`),
      over: () => log.info('the relay reaches Redis again'),
    })) ?? 'idle';

  const pauseMs: Record<Carried, number> = { more: 0, carried: busyMs, idle: idleMs };

  return {
    /** One round over all live logs. Faults are logged, not thrown: the next round tries again. */
    round,
    start() {
      running ??= startLoop(async () => pauseMs[await round()]);
    },
    /** Waits for the current round, at most `deadlineMs`, and releases the leases. */
    async stop(deadlineMs = 5_000) {
      const ended = Promise.resolve(running?.close()).then(() => leases.release());
      await deadlineIn(deadlineMs).within(
        ended.catch((error: unknown) => {
          log.warn({ error: String(error) }, 'leases were not released and will expire');
        }),
      );
    },
    resend: (carried: CarriedLog<Job>, from: number, to: number) => resendRange(parts, carried, from, to, randomUUID()),
  };
}
