import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntry } from '../../credit/deadLetter.ts';
import { creditJobId, ENTRIES_MAX, type CreditJob } from '../../credit/job.ts';
import { areDeadLettered } from '../../credit/deadLetters.ts';
import { readLoad } from '../../credit/queueLoad.ts';
import { refuse, type QueueContext, type Refused } from '../context.ts';
import { unknownReason } from '../restore/presence.ts';
import { readDiscardedLetters, uncredited } from './booked.ts';
import { logPages } from './claimLog.ts';

type Repaired =
  | {
      ok: true;
      /** Claims sent again. */ claims: number;
      jobs: number;
      /** False: there are more claims; run repair again. */ complete: boolean;
    }
  | Refused;

/** Limits of one repair [R10]. */
const CLAIMS_MAX = 50_000;
const JOBS_MAX = 500;
/** Jobs per call to the queue; a full job is about 100 kB. */
const BULK = 20;

/**
 * Sends claims again that are in the claim log but not in the ledger, not dead-lettered and not discarded. It needs no
 * lease of the relay: a claim that was already on its way arrives twice, and the ledger answers `already` [R5].
 */
export async function repairRain(context: QueueContext, rainId: string, dryRun = false): Promise<Repaired> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', await unknownReason(context, rainId));
  const { jobs, claims, complete } = await missingJobs(context, rainId, rain.shards);
  const repaired = { ok: true, claims, jobs: jobs.length, complete } as const;
  if (claims === 0 || dryRun) return repaired;
  await context.ledger.record({ actor: context.actor, verb: 'repair', rainId, details: { claims } });
  const again = randomUUID();
  for (let at = 0; at < jobs.length; at += BULK) {
    await context.queues.credit.addBulk(
      jobs.slice(at, at + BULK).map((data) => ({ name: 'range', data, opts: { jobId: creditJobId(data, again) } })),
    );
  }
  return repaired;
}

/**
 * @param sent jobs that were added; they may be done before the first read.
 * @returns whether no job of this rain is left
 */
export async function untilQuiet(
  { queues }: QueueContext,
  rainId: string,
  sent: number,
  waitMs: number,
  onProgress: (done: number, jobs: number) => void = () => {},
): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  let most = sent;
  for (;;) {
    const { jobs } = await readLoad(queues.credit, rainId);
    const left = jobs.waiting.jobs + jobs.active.jobs + jobs.delayed.jobs;
    // Jobs added by the relay count too.
    most = Math.max(most, left);
    onProgress(most - left, most);
    if (left === 0) return true;
    if (performance.now() >= deadline) return false;
    await sleep(100);
  }
}

async function missingJobs(context: QueueContext, rainId: string, shards: number) {
  const isDiscarded = await readDiscardedLetters(context, rainId);
  const jobs: CreditJob[] = [];
  let claims = 0;
  for (let shard = 0; shard < shards; shard++) {
    for await (const page of logPages(context.redis, rainId, shard, { page: ENTRIES_MAX })) {
      if (claims >= CLAIMS_MAX || jobs.length >= JOBS_MAX) return { jobs, claims, complete: false };
      const absent = (await uncredited(context, rainId, page)).filter((found) => !isDiscarded(found));
      const deadLettered = absent.length === 0 ? [] : await areDeadLettered(context.queues.dead, absent);
      const missing = absent.filter((_, i) => !deadLettered[i]);
      claims += missing.length;
      jobs.push(...runs(missing));
    }
  }
  return { jobs, claims, complete: true };
}

/** Groups entries into jobs: a job holds a range without gaps. */
function runs(missing: readonly LogEntry[]): CreditJob[] {
  const jobs: CreditJob[] = [];
  for (const { rainId, shard, index, entry } of missing) {
    const last = jobs.at(-1);
    if (last && last.from + last.entries.length === index) last.entries.push(entry);
    else jobs.push({ rainId, shard, from: index, entries: [entry] });
  }
  return jobs;
}
