import { randomUUID } from 'node:crypto';
import { WAITING_JOBS_MAX } from '../credit/queueLoad.ts';
import { liveRains } from '../store/rains.ts';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';
import { carryShard, resendRange, type Carried, type CarryDependencies } from './carry.ts';
import { createLeases } from './lease.ts';

export interface RelayOptions extends Omit<CarryDependencies, 'leases'> {
  log: Logger;
  /** Unique among all relays of all processes. */
  owner?: string;
  leaseMs?: number;
  /** Pause after a round that carried something, and after an idle round. After a full batch there is no pause. */
  busyMs?: number;
  idleMs?: number;
  /** While more jobs than this wait for a worker, claims stay in their log, where they cost nothing [R10]. */
  waitingJobsMax?: number;
}

interface Relay {
  /** One round over all shards of all live rains. Faults are logged, not thrown: the next round tries again. */
  round(): Promise<Carried>;
  /** Runs rounds until stopped. */
  start(): void;
  /** Waits for the current round, at most `deadlineMs`, and releases the leases. */
  stop(deadlineMs?: number): Promise<void>;
  /** See `resendRange`. */
  resend(rainId: string, shard: number, from: number, to: number): Promise<number>;
}

/**
 * THE RELAY: claim log → queue, for every live rain. It decides nothing, and several relays may run at once.
 *
 * @param options.redis with purpose `once`; `queue` has a connection of its own
 */
export function createRelay(options: RelayOptions): Relay {
  const { redis, queue, runScript, read, onCarried, log, owner = randomUUID(), leaseMs, busyMs = 25, idleMs = 250, waitingJobsMax = WAITING_JOBS_MAX } = options;
  const leases = createLeases(redis, owner, leaseMs);
  const dependencies: CarryDependencies = { redis, queue, leases, ...(runScript && { runScript }), ...(read && { read }), ...(onCarried && { onCarried }) };
  /** Shards whose last visit failed: a fault is logged when it begins and when it ends, not four times a second. */
  const failing = new Set<string>();
  let running: Loop | undefined;

  async function visit(rainId: string, shard: number): Promise<Carried> {
    const name = `${rainId}/${shard}`;
    try {
      const carried = await carryShard(dependencies, rainId, shard);
      if (failing.delete(name)) log.info({ rainId, shard }, 'claims are carried again');
      return carried;
    } catch (error) {
      if (!failing.has(name)) log.warn({ rainId, shard, error: String(error) }, 'claims cannot be carried, will try again');
      failing.add(name);
      return 'idle';
    }
  }

  async function visitAll(): Promise<Carried> {
    const rains = await liveRains(redis);
    const waiting = rains.size === 0 ? 0 : await queue.getJobCountByTypes('waiting', 'delayed');
    if (waiting >= waitingJobsMax) return 'idle';
    const visits = [...rains].flatMap(([rainId, { shards }]) => Array.from({ length: shards }, (_, shard) => visit(rainId, shard)));
    const results = await Promise.all(visits);
    return results.includes('more') ? 'more' : results.includes('carried') ? 'carried' : 'idle';
  }

  async function round(): Promise<Carried> {
    try {
      const carried = await visitAll();
      if (failing.delete('')) log.info('the relay reaches Redis again');
      return carried;
    } catch (error) {
      if (!failing.has('')) log.warn({ error: String(error) }, 'the relay cannot read the rains, will try again');
      failing.add('');
      return 'idle';
    }
  }

  const pauseMs: Record<Carried, number> = { more: 0, carried: busyMs, idle: idleMs };

  return {
    round,
    start() {
      running ??= startLoop(async () => pauseMs[await round()]);
    },
    async stop(deadlineMs = 5_000) {
      const ended = Promise.resolve(running?.close()).then(() => leases.release()).catch((error: unknown) => log.warn({ error: String(error) }, 'leases were not released and will expire'));
      await deadlineIn(deadlineMs).within(ended);
    },
    resend: (rainId, shard, from, to) => resendRange(dependencies, rainId, shard, from, to, randomUUID()),
  };
}
