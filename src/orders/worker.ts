import type { Job } from 'bullmq';
import { startRangeWorker, type RangeWorker, type RangeWorkerOptions } from '../credit/rangeWorker.ts';
import { firstIdsOf } from '../credit/logEntries.ts';
import { addRetryJobs } from '../credit/retryLane.ts';
import { ORDER_RETRY_POLICY, type RetryPolicy } from '../credit/retryPolicy.ts';
import { LATER_JOBS_MAX } from '../credit/queue.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { Histogram, LAGS_SECONDS } from '../platform/telemetry/histogram.ts';
import { reservationOrdinal } from '../sale/ids.ts';
import { heldByAll } from '../store/sales.ts';
import { hasSaleKey } from '../store/saleSigner.ts';
import type { Signer } from '../store/signer.ts';
import { addUndelivered } from '../store/undelivered.ts';
import { idOfOrderLetter } from './deadLetter.ts';
import { addOrderLetters, replaceOrderLetter } from './deadLetters.ts';
import { orderJob, type OrderJob } from './job.ts';
import type { OrderCounters } from './metrics.ts';
import { orderRange, type OrderRangeDependencies, type OrderReport } from './orderRange.ts';
import { openOrderQueues, ORDER_LATER_QUEUE, ORDER_QUEUE } from './queue.ts';
import { reservationIdsOf } from './reservations.ts';

export interface OrderWorkerOptions
  extends RangeWorkerOptions, Pick<OrderRangeDependencies, 'ledger' | 'service' | 'onCreated' | 'onRefused'> {
  /** With purpose `once`: reads what buyers have reserved. */
  redis: RedisClient;
  signer: Pick<Signer, 'isReservation' | 'under' | 'letterMac'>;
  /**
   * Returns which of these letters the operator has discarded: they are not dead-lettered again when their range is
   * sent again.
   */
  discardedLetters?: (letterIds: readonly string[]) => Promise<Pick<ReadonlySet<string>, 'has'>>;
  /** Retries of an order that the order service does not accept yet. */
  retryPolicy?: RetryPolicy;
}

export interface OrderWorker extends RangeWorker {
  readonly counters: Readonly<OrderCounters>;
}

export function createOrderWorker(options: OrderWorkerOptions): OrderWorker {
  const {
    redis,
    signer,
    ledger,
    service,
    onCreated,
    onRefused,
    log,
    discardedLetters = async () => new Set<string>(),
    retryPolicy = ORDER_RETRY_POLICY,
    random = Math.random,
  } = options;
  const { later, dead, orders } = openOrderQueues(options);
  const counters: OrderCounters = {
    ordered: 0,
    notAccepted: 0,
    undelivered: 0,
    faults: 0,
    lag: new Histogram(LAGS_SECONDS),
    jobs: new Histogram(LAGS_SECONDS),
  };
  async function work(job: Job<OrderJob, OrderReport>): Promise<OrderReport> {
    return orderRange(job.id!, job.data, {
      signer,
      ledger,
      service,
      onRefused,
      retryPolicy,
      random,
      now: Date.now,
      hasKey: (saleId) => hasSaleKey(redis, signer, saleId),
      heldBy: (saleId, userIds) => heldByAll(redis, saleId, userIds),
      async onCreated(saleId, created) {
        await onCreated(saleId, created);
        const announcedAt = Date.now();
        for (const { reservedAt } of created) counters.lag.add(Math.max(0, announcedAt - reservedAt) / 1_000);
      },
      async deadLetter(letters) {
        const discarded = await discardedLetters(letters.map(idOfOrderLetter));
        await addOrderLetters(
          dead,
          letters.filter((letter) => !discarded.has(idOfOrderLetter(letter))),
          signer,
        );
        log.error(
          { job: job.id, dead: letters.length, reservationIds: reservationIdsOf(letters.map(({ entry }) => entry)) },
          'reservations given up: see the dead letters',
        );
      },
      async replaceLetter(letter) {
        const discarded = await discardedLetters([idOfOrderLetter(letter)]);
        if (!discarded.has(idOfOrderLetter(letter))) await replaceOrderLetter(dead, letter, signer);
      },
      async onUndelivered(saleId, orderIds, reason) {
        await addUndelivered(
          redis,
          saleId,
          orderIds.map((id) => reservationOrdinal(saleId, id)!),
        );
        counters.undelivered += orderIds.length;
        log.error(
          { job: job.id, saleId, orders: orderIds.length, orderIds: firstIdsOf(orderIds, (id) => id), reason },
          'orders have timed out before the shop has confirmed them',
        );
      },
      async addLater(jobs) {
        await addRetryJobs(later, jobs, LATER_JOBS_MAX);
        const entries = jobs.flatMap(({ data }) => data.entries);
        counters.notAccepted += entries.length;
        log.warn(
          {
            job: job.id,
            later: entries.length,
            reservationIds: reservationIdsOf(entries),
            reason: jobs[0]!.data.later.detail,
            nextInMs: jobs[0]!.delayMs,
          },
          'orders not accepted yet, will try again',
        );
      },
    });
  }

  const worker = startRangeWorker<OrderJob, OrderReport>(
    {
      queues: [ORDER_QUEUE, ORDER_LATER_QUEUE],
      work,
      onDone(job, { ordered, dead: deadLettered, later: scheduled }) {
        counters.ordered += ordered;
        log.debug({ job: job.id, ordered, dead: deadLettered, later: scheduled }, 'ordered');
      },
      doing: 'ordering',
      schema: orderJob,
      idsOf: (entries) => ({ reservationIds: reservationIdsOf(entries) }),
      counters,
      onClosed: () => Promise.all([orders, later, dead].map((queue) => queue.close())),
    },
    options,
  );
  return { counters, close: worker.close };
}
