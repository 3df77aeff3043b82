import type { Job } from 'bullmq';
import { LAGS_SECONDS, Histogram } from '../platform/telemetry/histogram.ts';
import { creditRange, type RangeDependencies, type RangeReport } from './creditRange.ts';
import { idOfDeadLetter } from './deadLetter.ts';
import { addDeadLetters } from './deadLetters.ts';
import type { LetterSigner } from './letterBox.ts';
import { packetIdsOf } from './logEntries.ts';
import { creditJob, type CreditJob } from './job.ts';
import type { CreditCounters } from './metrics.ts';
import { startRangeWorker, type RangeWorker, type RangeWorkerOptions } from './rangeWorker.ts';
import { addRetryJobs } from './retryLane.ts';
import { CLAIM_RETRY_POLICY, type RetryPolicy } from './retryPolicy.ts';
import { createDeadQueue, createLaterQueue, CREDIT_QUEUE, LATER_JOBS_MAX, LATER_QUEUE } from './queue.ts';
import type { Announced } from './trail.ts';

export interface CreditWorkerOptions extends RangeWorkerOptions, Pick<RangeDependencies, 'balance' | 'onCredited'> {
  signer: Pick<LetterSigner, 'letterMac'>;
  /**
   * Returns which of these letters the operator has discarded: they are not dead-lettered again when their range is
   * sent again.
   */
  discardedClaims?: (letterIds: readonly string[]) => Promise<Pick<ReadonlySet<string>, 'has'>>;
  /** Called when the users of some claims have been told. */
  onAnnounced?: (announced: Announced) => void;
  /** Retries of a claim that the payout provider does not accept yet. */
  retryPolicy?: RetryPolicy;
  laterJobsMax?: number;
}

export interface CreditWorker extends RangeWorker {
  readonly counters: Readonly<CreditCounters>;
}

export function createCreditWorker(options: CreditWorkerOptions): CreditWorker {
  const {
    connection,
    prefix,
    onError,
    signer,
    balance,
    onCredited,
    log,
    discardedClaims = async () => new Set<string>(),
    onAnnounced,
    retryPolicy = CLAIM_RETRY_POLICY,
    laterJobsMax = LATER_JOBS_MAX,
    random = Math.random,
  } = options;
  const dead = createDeadQueue({ connection, prefix, onError });
  const later = createLaterQueue({ connection, prefix, onError });
  const counters: CreditCounters = {
    credited: 0,
    faults: 0,
    lag: new Histogram(LAGS_SECONDS),
    jobs: new Histogram(LAGS_SECONDS),
  };
  async function work(job: Job<CreditJob, RangeReport>): Promise<RangeReport> {
    const takenUpAt = Date.now();
    return creditRange(job.id!, job.data, {
      balance,
      retryPolicy,
      random,
      now: Date.now,
      async onCredited(rainId, shard, claims) {
        const committedAt = Date.now();
        await onCredited(rainId, shard, claims);
        const announcedAt = Date.now();
        for (const { at } of claims) counters.lag.add(Math.max(0, announcedAt - Number(at)) / 1_000);
        onAnnounced?.({ rainId, job: job.id!, claims, takenUpAt, committedAt, announcedAt });
      },
      async deadLetter(letters) {
        const discarded = await discardedClaims(letters.map(idOfDeadLetter));
        await addDeadLetters(
          dead,
          letters.filter((letter) => !discarded.has(idOfDeadLetter(letter))),
          signer,
        );
        log.error(
          { job: job.id, dead: letters.length, redPacketIds: packetIdsOf(letters.map(({ entry }) => entry)) },
          'claims given up: see the dead letters',
        );
      },
      async addLater(jobs) {
        await addRetryJobs(later, jobs, laterJobsMax);
        const entries = jobs.flatMap(({ data }) => data.entries);
        log.warn(
          { job: job.id, later: entries.length, redPacketIds: packetIdsOf(entries) },
          'claims not accepted yet, will try again',
        );
      },
    });
  }

  const worker = startRangeWorker<CreditJob, RangeReport>(
    {
      queues: [CREDIT_QUEUE, LATER_QUEUE],
      work,
      onDone(job, { credited, dead: deadLettered, later: scheduled }) {
        counters.credited += credited;
        log.debug({ job: job.id, credited, dead: deadLettered, later: scheduled }, 'credited');
      },
      doing: 'crediting',
      schema: creditJob,
      idsOf: (entries) => ({ redPacketIds: packetIdsOf(entries) }),
      counters,
      onClosed: () => Promise.all([dead.close(), later.close()]),
    },
    options,
  );
  return { counters, close: worker.close };
}
