import { startOrderRedelivery, type OrderRedeliveryOptions } from '../../maintenance/orderRedelivery.ts';
import { startQueueRepair } from '../../maintenance/queueRepair.ts';
import type { RedeliveryTiming } from '../../maintenance/redeliveryLoop.ts';
import { registerSaleMetrics } from '../../maintenance/saleMetrics.ts';
import { startSaleAuditor, type SaleAuditorOptions } from '../../maintenance/saleAuditor.ts';
import { startSaleRestorer } from '../../maintenance/saleRestorer.ts';
import { startSaleSettler, type SaleSettlerOptions } from '../../maintenance/saleSettler.ts';
import type { OperatorContext } from '../../operator/context.ts';
import { announceOrders, announceRefused } from '../../orders/announce.ts';
import { startCancels } from '../../orders/cancels.ts';
import { orderLetterId } from '../../orders/deadLetter.ts';
import { areOrderLetters } from '../../orders/deadLetters.ts';
import { endedInLedger, endedOrders } from '../../orders/endedOrders.ts';
import { openEndedQueue } from '../../orders/endedQueue.ts';
import { startEndedWorker } from '../../orders/endedWorker.ts';
import { startExpirer } from '../../orders/expirer.ts';
import { startFollower } from '../../orders/follower.ts';
import { registerEndedMetrics, registerOrderMetrics } from '../../orders/metrics.ts';
import { openOrderQueues, pendingReservations } from '../../orders/queue.ts';
import { createOrderRelay } from '../../orders/relay.ts';
import { createOrderWorker } from '../../orders/worker.ts';
import type { deadlineIn } from '../../platform/concurrency/deadline.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { MetricsRegistry } from '../../platform/telemetry/metrics.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import type { ReadLog } from '../../relay/carry.ts';
import { QUEUE_PREFIX } from '../../store/keys.ts';
import type { OpenOrderService } from './orderService.ts';

interface SaleWorkOptions {
  context: OperatorContext;
  log: Logger;
  /** Connections of the queues: to add jobs, and to work on them. */
  queueing: RedisClient;
  working: RedisClient;
  onError: (error: Error) => void;
  orders: OpenOrderService;
  /** Which entries of a log may be carried; default: all. */
  read?: ReadLog | undefined;
  settling: Omit<SaleSettlerOptions, 'context' | 'log' | 'audit'>;
  sweeping?: Pick<RedeliveryTiming, 'everyMs' | 'sweepAfterMs'> | undefined;
  watching?: Pick<SaleAuditorOptions, 'pauseMsMin' | 'pauseFactor' | 'onTampering'> | undefined;
  registry?: MetricsRegistry | undefined;
  /** See `startExpirer`. */
  heldSales?: (() => Iterable<string> | undefined) | undefined;
}

/**
 * The work for sales: reservations become orders, Redis follows the ledger, due orders end, and sales that are over are
 * settled.
 */
export function startSaleWork({
  context,
  log,
  queueing,
  working,
  onError,
  orders,
  read,
  settling,
  sweeping,
  watching,
  registry,
  heldSales,
}: SaleWorkOptions) {
  const { redis, ledger, signer } = context;
  const queues = openOrderQueues({ connection: queueing, prefix: QUEUE_PREFIX, onError });
  const relay = createOrderRelay({ redis, queue: queues.orders, log, ...(read && { read }) });
  relay.start();
  const service = orders(ledger, log);
  const endedQueue = openEndedQueue({ connection: queueing, prefix: QUEUE_PREFIX, onError });
  const ended = endedOrders({ queue: endedQueue, ledger, log });
  const endedWorker =
    service.tell &&
    startEndedWorker({
      connection: working,
      prefix: QUEUE_PREFIX,
      onError,
      tell: service.tell,
      endedOf: endedInLedger(ledger),
      log,
    });
  const worker = createOrderWorker({
    connection: working,
    prefix: QUEUE_PREFIX,
    onError,
    redis,
    signer,
    log,
    ledger,
    service,
    discardedLetters: ledger.discardedClaims,
    onCreated: (saleId, created) => announceOrders(redis, signer, saleId, created),
    onRefused: (saleId, refused) => announceRefused(redis, signer, saleId, refused),
  });
  const areDead: OrderRedeliveryOptions['areDead'] = async (entries) => {
    const [listed, discarded] = await Promise.all([
      areOrderLetters(queues.dead, entries),
      ledger.discardedClaims(entries.map(orderLetterId)),
    ]);
    return entries.map((entry, i) => listed[i]! || discarded.has(orderLetterId(entry)));
  };
  const redelivery = startOrderRedelivery({
    context,
    log,
    resend: relay.resend,
    jobsPending: () => queues.orders.getJobCountByTypes('waiting', 'active', 'delayed'),
    pendingRanges: () => pendingReservations(redis, queues),
    areDead,
    ...sweeping,
  });
  const queueRepair = startQueueRepair({ redis, queues: [queues.orders, queues.later, queues.dead, endedQueue], log });
  const follower = startFollower({ redis, ledger, signer, onFollowed: ended.add, log });
  const expirer = startExpirer({ ledger, log, heldSales });
  const cancels = startCancels({ redis, signer, ledger, log });
  const settler = startSaleSettler({ context, log, ...settling });
  const auditor = startSaleAuditor({ context, log, ...watching });
  const restorer = startSaleRestorer({ context, log, sinceReconnect: settling.sinceReconnect ?? (() => Infinity) });
  if (registry) {
    registerSaleMetrics(registry, {
      redis,
      ledger,
      auditor,
      counters: () => ({ ...follower.counters, ...expirer.counters, ...cancels.counters }),
    });
    registerOrderMetrics(registry, queues, worker.counters);
    registerEndedMetrics(registry, endedQueue, () => ({
      told: endedWorker?.counters.told ?? 0,
      untold: ended.counters.untold + (endedWorker?.counters.untold ?? 0),
    }));
  }
  return {
    /** By name, each until it has ended. @param workerMs for the jobs that run now */
    close: (work: ReturnType<typeof deadlineIn>, workerMs: number) => ({
      orderRelay: relay.stop(work.leftMs()),
      orderWorker: worker.close(workerMs),
      ...(endedWorker && { endedWorker: endedWorker.close(workerMs) }),
      orderRedelivery: redelivery.close(),
      orderQueueRepair: queueRepair.close(),
      follower: follower.close(),
      expirer: expirer.close(),
      cancels: cancels.close(),
      saleSettler: settler.close(),
      saleAuditor: auditor.close(),
      saleRestorer: restorer.close(),
    }),
    closeQueues: () => Promise.all([...Object.values(queues), endedQueue].map((queue) => queue.close())),
  };
}
