import { randomUUID } from 'node:crypto';
import { WAITING_JOBS_MAX } from '../credit/queueLoad.ts';
import { liveRains } from '../store/rains.ts';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';
import { carryShard, resendRange, type Carried, type CarryDependencies } from './carry.ts';
import { createLeases } from './lease.ts';

export interface RelayOptions extends Omit<CarryDependencies, 'leases'> {
  log: Logger;
  /** Unique among all relays of all processes. */
  owner?: string;
  leaseMs?: number;
  /** How long another relay may hold the lease of a shard in which nothing moves. */
  leasedMs?: number;
  /** Pause after a round that carried something, and after an idle round. After a full batch there is no pause. */
  busyMs?: number;
  idleMs?: number;
  /** While more jobs than this wait for a worker, claims stay in their log, where they cost nothing [R10]. */
  waitingJobsMax?: number;
}

/**
 * THE RELAY: claim log → queue, for every live rain. It decides nothing, and several relays may run at once.
 * @param options.redis with purpose `once`; `queue` has a connection of its own
 */
export function createRelay(options: RelayOptions) {
  const { redis, queue, log, owner = randomUUID(), leaseMs, leasedMs, busyMs = 25, idleMs = 250, waitingJobsMax = WAITING_JOBS_MAX } = options;
  const leases = createLeases(redis, owner, leaseMs, leasedMs);
  const parts: CarryDependencies = { ...options, leases };
  const failing = new Set<string>();
  let running: Loop | undefined;

  const visit = (rainId: string, shard: number) => reportingFault(failing, `${rainId}/${shard}`, () => carryShard(parts, rainId, shard), {
    began: (error) => log.warn({ rainId, shard, error: String(error) }, 'claims cannot be carried, will try again'),
    over: () => log.info({ rainId, shard }, 'claims are carried again'),
  });

  async function visitAll(): Promise<Carried> {
    const rains = await liveRains(redis);
    const waiting = rains.size === 0 ? 0 : await queue.getJobCountByTypes('waiting', 'delayed');
    if (waiting >= waitingJobsMax) return 'idle';
    const visits = [...rains].flatMap(([rainId, { shards }]) => Array.from({ length: shards }, (_, shard) => visit(rainId, shard)));
    const results = await Promise.all(visits);
    return results.includes('more') ? 'more' : results.includes('carried') ? 'carried' : 'idle';
  }

  const round = async () => await reportingFault(failing, '', visitAll, {
    began: (error) => log.warn({ error: String(error) }, 'the relay cannot read the rains, will try again'),
    over: () => log.info('the relay reaches Redis again'),
  }) ?? 'idle';

  const pauseMs: Record<Carried, number> = { more: 0, carried: busyMs, idle: idleMs };

  return {
    /** One round over all shards of all live rains. Faults are logged, not thrown: the next round tries again. */
    round,
    start() {
      running ??= startLoop(async () => pauseMs[await round()]);
    },
    /** Waits for the current round, at most `deadlineMs`, and releases the leases. */
    async stop(deadlineMs = 5_000) {
      const ended = Promise.resolve(running?.close()).then(() => leases.release());
      await deadlineIn(deadlineMs).within(ended.catch((error: unknown) => {
        log.warn({ error: String(error) }, 'leases were not released and will expire');
      }));
    },
    resend: (rainId: string, shard: number, from: number, to: number) => resendRange(parts, rainId, shard, from, to, randomUUID()),
  };
}
