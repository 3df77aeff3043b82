import type { Queue } from 'bullmq';
import { dueTimes } from '../../credit/delayedJobs.ts';
import { inTime } from '../../platform/concurrency/deadline.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { iso } from '../../rain/figures.ts';
import { countNotRelayed, type NotRelayed } from '../../store/notRelayed.ts';
import { READ_TIMEOUT_MS, type SystemContext } from '../system.ts';
import { readLane, type Lane } from './lane.ts';
import { isWorked, QUEUE_NAMES, type QueueName, type QueueState, type WorkedQueue } from './names.ts';

interface QueueView extends Lane {
  name: QueueName;
  state: QueueState;
  /** When the next delayed job is tried again. */
  nextAt?: string;
  /** When the oldest waiting job was added. */
  oldestAt?: string;
}

export interface QueuesView {
  queues: QueueView[];
  /** Entries that the logs hold and the queues do not have yet; null when a log cannot be read. */
  notQueued: NotRelayed | null;
}

export async function readQueues(context: SystemContext): Promise<QueuesView> {
  const { redis, queues } = context;
  const [views, notQueued] = await Promise.all([
    Promise.all(
      QUEUE_NAMES.map(async (name): Promise<QueueView> => ({
        name,
        ...(await (isWorked(name) ? readWorked(redis, queues[name] as Queue, name) : readLetters(redis, queues[name]))),
      })),
    ),
    inTime(countNotRelayed(redis), READ_TIMEOUT_MS),
  ]);
  return { queues: views, notQueued: notQueued ?? null };
}

async function readWorked(redis: RedisClient, queue: Queue, name: WorkedQueue): Promise<Omit<QueueView, 'name'>> {
  const [lane, paused, workers, [next], oldest] = await Promise.all([
    readLane(queue),
    queue.isPaused(),
    inTime(queue.getWorkersCount(), READ_TIMEOUT_MS),
    dueTimes(redis, queue, 0, 1),
    readOldest(redis, queue),
  ]);
  const isEmpty = lane.waiting + lane.active + lane.delayed === 0;
  const state =
    workers === undefined
      ? 'unknown'
      : workers === 0
        ? name === 'ordersEnded' && isEmpty
          ? 'idle'
          : 'no_worker'
        : 'working';
  return {
    ...lane,
    state: paused && state !== 'no_worker' ? 'paused' : state,
    ...(next && { nextAt: iso(next.dueAt) }),
    ...oldest,
  };
}

async function readLetters(
  redis: RedisClient,
  queue: Pick<Queue, 'getJobCountByTypes' | 'getRanges' | 'toKey'>,
): Promise<Omit<QueueView, 'name'>> {
  const [failed, oldest] = await Promise.all([queue.getJobCountByTypes('waiting'), readOldest(redis, queue)]);
  return { waiting: 0, active: 0, delayed: 0, failed, state: 'operator', ...oldest };
}

/** Reads the time alone: a job may hold 500 entries. */
async function readOldest(
  redis: RedisClient,
  queue: Pick<Queue, 'getRanges' | 'toKey'>,
): Promise<Pick<QueueView, 'oldestAt'>> {
  const [id] = await queue.getRanges(['waiting'], 0, 0, true);
  const addedAt = id === undefined ? undefined : await redis.hget(queue.toKey(id), 'timestamp');
  return /^\d{1,15}$/.test(addedAt ?? '') ? { oldestAt: iso(Number(addedAt)) } : {};
}
