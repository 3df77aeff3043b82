import type { CreditQueue } from '../credit/queue.ts';
import { inTime } from '../platform/concurrency/deadline.ts';
import { VERSION } from '../platform/process/version.ts';
import type { Queues, QueueContext } from './context.ts';

export type SystemContext = QueueContext & { queues: Queues & { later: CreditQueue } };

interface Lane { waiting: number; active: number; delayed: number; failed: number }

export interface SystemView {
  version: string;
  redis: { up: boolean; version?: string; usedMemoryBytes?: number };
  database: { up: boolean };
  /** Jobs by lane, and dead letters; null while Redis cannot be asked. */
  queues: { credit: Lane; later: Lane; dead: number } | null;
  /** Null where Redis does not tell who is connected. */
  workers: number | null;
}

/** A question to a server that is away fails sooner than the patience of whoever asks. */
const ASK_MS_MAX = 3_000;

/** What a rain is run by. One that cannot be asked is what is looked for: it is told, and the others all the same. */
export async function lookAtSystem(context: SystemContext): Promise<SystemView> {
  const [redis, database, queues, workers] = await Promise.all([askRedis(context), inTime(context.ledger.countRains(), ASK_MS_MAX), askQueues(context), inTime(context.queues.credit.getWorkersCount(), ASK_MS_MAX)]);
  return { version: VERSION, redis, database: { up: database !== undefined }, queues: queues ?? null, workers: workers ?? null };
}

async function askRedis({ redis }: Pick<SystemContext, 'redis'>): Promise<{ up: boolean; version?: string; usedMemoryBytes?: number }> {
  if (await inTime(redis.ping(), ASK_MS_MAX) === undefined) return { up: false };
  // One that may be asked to serve may still keep its INFO to itself.
  const info = await inTime(redis.info(), ASK_MS_MAX) ?? '';
  const of = (name: string): string | undefined => new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(info)?.[1];
  const [server, memory] = [of('redis_version'), of('used_memory')];
  return { up: true, ...(server !== undefined && { version: server }), ...(memory !== undefined && { usedMemoryBytes: Number(memory) }) };
}

function askQueues({ queues: { credit, later, dead } }: Pick<SystemContext, 'queues'>) {
  const lane = async (queue: typeof credit) => {
    const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
    return { waiting, active, delayed, failed };
  };
  return inTime(Promise.all([lane(credit), lane(later), dead.getJobCountByTypes('waiting')]).then(([one, other, letters]) => ({ credit: one, later: other, dead: letters })), ASK_MS_MAX);
}
