import { ENTRIES_MAX } from '../credit/job.ts';
import { endedJob, mergedJobId, readEndedJobId, type EndedJob, type EndedQueue } from './endedQueue.ts';

/**
 * A job of fewer orders is merged with others of its sale; so a merged one soon is not small, and its two hours begin
 * again a few times only.
 */
const SMALL_ORDERS_MAX = ENTRIES_MAX / 2;

export type MergedQueue = Pick<EndedQueue, 'addBulk' | 'getRanges' | 'getJob' | 'remove'>;

/**
 * Merges small jobs of each sale that wait. First the merged jobs are added, then the small ones removed: if it is cut,
 * or another worker merges at the same time, the shop is told twice. One that is being worked on stays.
 * @param jobsMax the most that are looked at [R10]
 * @param jobsMin a sale with fewer small jobs is left alone
 */
export async function mergeEnded(queue: MergedQueue, jobsMax: number, jobsMin: number): Promise<void> {
  const small = new Map<string, string[]>();
  for (const id of new Set(await queue.getRanges(['waiting', 'delayed'], 0, jobsMax - 1, true))) {
    const job = readEndedJobId(id);
    if (job && job.orders < SMALL_ORDERS_MAX) small.set(job.saleId, [...(small.get(job.saleId) ?? []), id]);
  }
  for (const [saleId, ids] of small) if (ids.length >= jobsMin) await mergeSale(queue, saleId, ids);
}

async function mergeSale(queue: MergedQueue, saleId: string, ids: readonly string[]): Promise<void> {
  const orders = new Map<string, EndedJob['ended'][number]>();
  const read: string[] = [];
  let since = Infinity;
  for (const job of await Promise.all(ids.map((id) => queue.getJob(id)))) {
    const parsed = endedJob.safeParse(job?.data);
    if (job?.id === undefined || !parsed.success || parsed.data.saleId !== saleId) continue;
    for (const one of parsed.data.ended) orders.set(one.id, one);
    read.push(job.id);
    since = Math.min(since, job.timestamp);
  }
  if (read.length < 2) return;
  const parts = inParts([...orders.values()], ENTRIES_MAX);
  // The time of the oldest: it tells the operator how long the shop has not heard.
  await queue.addBulk(
    parts.map((ended) => ({
      name: 'ended',
      data: { saleId, ended },
      opts: { jobId: mergedJobId(saleId, ended), timestamp: since },
    })),
  );
  await Promise.all(read.map((id) => queue.remove(id)));
}

export function inParts<One>(all: readonly One[], size: number): One[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
