import type { RedisClient } from '../platform/redis/connect.ts';
import { jobsDueNever } from './delayedJobs.ts';
import { isRangeJobId } from './job.ts';
import type { CreditQueue } from './queue.ts';

/** Foreign entries in a queue that keep its workers from their jobs. */
export type QueueFault =
  | `type of ${string}`
  | 'id'
  | 'events'
  | 'maxLenEvents'
  | 'paused'
  | 'concurrency'
  | 'max'
  | 'duration'
  | 'limiter'
  | 'stalled-check'
  | 'lock'
  | 'delayed';

/** Fields of BullMQ's `meta` that stop a queue or slow it down. */
const SETTINGS = ['paused', 'concurrency', 'max', 'duration'] as const;
/** The keys of a queue that BullMQ's scripts use, with their types. With another type every job fails, or is not added. */
const TYPES = {
  meta: 'hash',
  wait: 'list',
  paused: 'list',
  active: 'list',
  delayed: 'zset',
  prioritized: 'zset',
  'waiting-children': 'zset',
  completed: 'zset',
  failed: 'zset',
  marker: 'zset',
  repeat: 'zset',
  stalled: 'set',
  events: 'stream',
  id: 'string',
  pc: 'string',
} as const;
/** Counters that a script adds to: a word, or a number at the end of the range, is refused. */
const COUNTERS = ['id', 'pc'] as const;
const COUNT = /^\d{1,15}$/;
/** How many events a queue keeps; BullMQ writes its default into `meta` if there is none. */
const EVENTS_LENGTH = 'opts.maxLenEvents';
const EVENTS_LENGTH_MAX = 10_000;
/** Locks and the mark of the last check for stalled jobs expire within seconds. */
const EXPIRE_MS_MAX = 60_000;
/** Jobs of each kind that one visit puts right [R10]. */
const JOBS_MAX = 1_000;

/**
 * Removes from a queue what somebody else has written there to stop it. No money is removed: claims whose job is gone
 * are sent again from their log, and a job that runs twice finds itself done [R5].
 * @returns the faults found
 */
export async function repairQueue(redis: RedisClient, queue: Pick<CreditQueue, 'toKey'>): Promise<QueueFault[]> {
  const key = (name: string) => queue.toKey(name);
  const faults: QueueFault[] = [];
  // Together: every two seconds, for seven queues, each answer by itself wakes the process once more.
  const types = await Promise.all(Object.keys(TYPES).map((name) => redis.type(key(name))));
  for (const [i, [name, type]] of Object.entries(TYPES).entries()) {
    if (types[i] === 'none' || types[i] === type) continue;
    await redis.unlink(key(name));
    faults.push(`type of ${name}`);
  }
  const counts = await Promise.all(COUNTERS.map((name) => redis.get(key(name))));
  for (const [i, name] of COUNTERS.entries()) {
    const count = counts[i]!;
    if (count === null || COUNT.test(count)) continue;
    await redis.unlink(key(name));
    faults.push('id');
  }
  if (!(await takesEvents(redis, key('events')))) {
    await redis.unlink(key('events'));
    faults.push('events');
  }
  const length = await redis.hget(key('meta'), EVENTS_LENGTH);
  if (length !== null && !(COUNT.test(length) && Number(length) <= EVENTS_LENGTH_MAX)) {
    await redis.hdel(key('meta'), EVENTS_LENGTH);
    faults.push('maxLenEvents');
  }
  const settings = await redis.hmget(key('meta'), ...SETTINGS);
  const set = SETTINGS.filter((_, i) => settings[i] !== null);
  if (set.length > 0) await redis.hdel(key('meta'), ...set);
  faults.push(...set);
  if ((await redis.unlink(key('limiter'))) > 0) faults.push('limiter');
  if (await removeLasting(redis, [key('stalled-check')])) faults.push('stalled-check');
  const active = await redis.lrange(key('active'), 0, JOBS_MAX - 1);
  if (
    await removeLasting(
      redis,
      active.map((id) => key(`${id}:lock`)),
    )
  )
    faults.push('lock');
  const never = await jobsDueNever(redis, queue, JOBS_MAX);
  if (never.length > 0) {
    await redis.zrem(key('delayed'), ...never);
    // Another text than an id of ours may name any other key of the queue.
    for (const id of never) if (isRangeJobId(id)) await redis.unlink(key(id));
    faults.push('delayed');
  }
  // A worker that sleeps until the next job looks again now.
  if (faults.length > 0) await redis.zadd(key('marker'), 0, '0');
  return faults;
}

/** Whether a script can add an event. After the last id that there can be, Redis refuses any other. */
async function takesEvents(redis: RedisClient, events: string): Promise<boolean> {
  try {
    await redis.xadd(events, 'NOMKSTREAM', 'MAXLEN', '~', EVENTS_LENGTH_MAX, '*', 'event', 'looked-at');
    return true;
  } catch (error) {
    if ((error as Error).message.includes('exhausted')) return false;
    throw error;
  }
}

/** Removes those keys that never expire, or much too late. @returns whether there were any */
async function removeLasting(redis: RedisClient, keys: readonly string[]): Promise<boolean> {
  const left = await Promise.all(keys.map((key) => redis.pttl(key)));
  const lasting = keys.filter((_, i) => left[i] === -1 || left[i]! > EXPIRE_MS_MAX);
  for (const key of lasting) await redis.unlink(key);
  return lasting.length > 0;
}
