import type { Queue } from 'bullmq';
import type { RedisClient } from '../platform/redis/connect.ts';
import { RETRY_DELAY_MS_MAX } from './retryPolicy.ts';

/** BullMQ's score of a delayed job is the time when it is due, epoch ms, times this, plus a count. */
const SCORE_PER_MS = 0x1000;
/** How much the clocks of two workers may differ. */
const CLOCKS_MS = 60_000;

/** A job that is due later was not delayed by us: no worker would ever run it. */
const scoreMax = (): number => (Date.now() + RETRY_DELAY_MS_MAX + CLOCKS_MS) * SCORE_PER_MS;

type Lane = Pick<Queue, 'toKey'>;
type Asked = Pick<RedisClient, 'zrangebyscore' | 'zcount'>;

/** Ids of the delayed jobs that a worker will run; the next one first. */
export function dueJobs(redis: Asked, lane: Lane, limit: number): Promise<string[]> {
  return redis.zrangebyscore(lane.toKey('delayed'), '-inf', scoreMax(), 'LIMIT', 0, limit);
}

/** The delayed jobs that a worker will run, the next one first, and when each is due, epoch ms. */
export async function dueTimes(
  redis: Asked,
  lane: Lane,
  from: number,
  limit: number,
): Promise<{ id: string; dueAt: number }[]> {
  const found = await redis.zrangebyscore(
    lane.toKey('delayed'),
    '-inf',
    scoreMax(),
    'WITHSCORES',
    'LIMIT',
    from,
    limit,
  );
  return Array.from({ length: found.length / 2 }, (_, i) => ({
    id: found[2 * i]!,
    dueAt: Math.max(0, Math.floor(Number(found[2 * i + 1]) / SCORE_PER_MS)),
  }));
}

export const countDue = (redis: Asked, lane: Lane): Promise<number> =>
  redis.zcount(lane.toKey('delayed'), '-inf', scoreMax());

/** Ids of delayed jobs that no worker would ever run. */
export function jobsDueNever(redis: Asked, lane: Lane, limit: number): Promise<string[]> {
  return redis.zrangebyscore(lane.toKey('delayed'), `(${scoreMax()}`, '+inf', 'LIMIT', 0, limit);
}
