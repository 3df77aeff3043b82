import { payoutByProvider } from '../../credit/payoutProviders.ts';
import { signedOnly } from '../../credit/signedOnly.ts';
import { areDeadLettered } from '../../credit/deadLetters.ts';
import type { CreditJob } from '../../credit/job.ts';
import { registerCreditMetrics } from '../../credit/metrics.ts';
import { pendingRanges } from '../../credit/queue.ts';
import { traceAnnounced, type Announced } from '../../credit/trail.ts';
import { HAND_BACK_MS } from '../../credit/rangeWorker.ts';
import { createCreditWorker } from '../../credit/worker.ts';
import { QUEUE_PREFIX } from '../../store/keys.ts';
import { countRestoring } from '../../store/holds.ts';
import { askRedis } from '../../platform/redis/askRedis.ts';
import { requireCommands } from '../../store/permissions.ts';
import { loadScripts } from '../../store/scripts.ts';
import { signaturesIn } from '../../store/rains.ts';
import type { Signer } from '../../store/signer.ts';
import { connectDatabase, untilAnswers } from '../../ledger/database.ts';
import { openLedger } from '../../ledger/ledger.ts';
import { createAnnouncer } from '../../relay/announce.ts';
import { createRelay } from '../../relay/relay.ts';
import { awaitReplicas, readReplicated } from '../../relay/replicated.ts';
import { traceCarried } from '../../relay/trail.ts';
import { deadlineIn } from '../../platform/concurrency/deadline.ts';
import { DURABILITY_WAIT_MS, LOCAL, type Durability } from '../../platform/redis/durability.ts';
import { throttled, type Logger } from '../../platform/telemetry/log.ts';
import { openReadiness, type Readiness } from '../../platform/telemetry/health.ts';
import { createLifecycle, type Lifecycle } from '../../platform/process/lifecycle.ts';
import {
  openRegistry,
  startMetricsServer,
  registerMetric,
  registerReadiness,
  type MetricsRegistry,
} from '../../platform/telemetry/metrics.ts';
import { createStarting } from '../../platform/process/starting.ts';
import { watchProcessor } from '../../platform/process/starvation.ts';
import { connectRedis, untilReady } from '../../platform/redis/connect.ts';
import { requireFit } from '../../platform/redis/requirements.ts';
import { watchReconnects } from '../../platform/redis/reconnectTimer.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import { startPayoutAssigner } from '../../maintenance/payoutAssigner.ts';
import { startQueueRepair } from '../../maintenance/queueRepair.ts';
import { startRetention } from '../../maintenance/retention.ts';
import { registerEpochMetrics } from '../../maintenance/epochMetrics.ts';
import { startRedisMonitor } from '../../maintenance/redisMonitor.ts';
import { registerRainMetrics } from '../../maintenance/rainMetrics.ts';
import { startSettler, type SettlerOptions } from '../../maintenance/settler.ts';
import { startRedelivery, type RedeliveryOptions } from '../../maintenance/redelivery.ts';
import { registerWaitingClaims, startWaitingClaims } from '../../maintenance/waitingClaims.ts';
import { startAuditor, type AuditorOptions } from '../../maintenance/auditor.ts';
import { startEpoch, type Epoch } from '../../maintenance/epoch.ts';
import { askQueues, openQueues } from '../queues.ts';
import { OUR_ORDERS, type OpenOrderService } from './orderService.ts';
import { OUR_LEDGER, type OpenPayoutProvider } from './payoutProvider.ts';
import { startSaleWork } from './saleWork.ts';

export interface WorkerOptions {
  signer: Signer;
  keep?: OpenPayoutProvider;
  orders?: OpenOrderService;
  /** With replicas, a claim is credited only after it is replicated; see `readReplicated`. */
  durability?: Durability;
  durabilityWaitMs?: number;
  /** Address of the metrics server; absent: none. Port 0 takes a free port. */
  metrics?: { host: string; port: number };
  /** Absent: no tracing. The caller closes it. */
  traces?: Traces | undefined;
  /** Users of whom nothing was written for so long are erased; absent: nobody is. */
  retentionDays?: number;
  settling?: Pick<SettlerOptions, 'ttlMs' | 'tidyMs' | 'settleAfterReconnectMs'>;
  sweeping?: Pick<RedeliveryOptions, 'everyMs' | 'sweepAfterMs'>;
  watching?: Pick<AuditorOptions, 'pauseMsMin' | 'pauseFactor' | 'onTampering'>;
  /** Whether the start waits for a Redis or database that comes later; else it is reported at once. */
  waits?: boolean;
}

/** Time for the whole close, and how much of it is reserved for the connections, ms. */
const CLOSE_MS = 7_500;
const CLOSE_CONNECTIONS_MS = 500;

export interface WorkerProcess {
  /** `http://…`, if there is a metrics server. */
  metricsUrl?: string;
  /** Takes no new work, finishes the current work and closes the connections, in at most `withinMs` together [R10]. */
  close(withinMs?: number): Promise<void>;
}

export function registerWorkMetrics(
  registry: MetricsRegistry,
  { carried, faults }: { carried: () => number; faults: () => number },
): void {
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_relay_carried_claims_total',
    help: 'Claims that this process has moved to the queue. If it stands still while rain_relay_lag_claims does not fall, the relay is stuck',
    read: () => [{ value: carried() }],
  });
  registerMetric(registry, {
    kind: 'counter',
    name: 'rain_worker_connection_faults_total',
    help: 'Faults of the connections to Redis and to the database. Grows while one of them is unreachable',
    read: () => [{ value: faults() }],
  });
}

/**
 * Relay, credit worker, settlers and redelivery of one process: everything that happens to a claim or a reservation
 * after the answer to its user. The auditor and the Redis monitor run beside them. Any number of processes may run; no
 * user waits for them.
 * @throws when Redis or the database is unreachable, unless it `waits`, Redis does not meet the requirements, or the port of the metrics
 *   is taken
 */
export function startWorker(
  redisUrl: string,
  databaseUrl: string,
  log: Logger,
  options: WorkerOptions,
): Promise<WorkerProcess> {
  const lifecycle = createLifecycle((sentence) => log.warn(sentence));
  return lifecycle.opening(() => openWorker({ redisUrl, databaseUrl, log, lifecycle, ...options }));
}

/** Metrics and health, for which others ask while the worker starts. */
async function openHealth(
  metrics: WorkerOptions['metrics'],
  readiness: Pick<Readiness, 'report'>,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<{ registry?: MetricsRegistry; metricsUrl?: string }> {
  if (!metrics) return {};
  const registry = openRegistry();
  const server = await startMetricsServer({ registry, ...metrics, readiness, log });
  lifecycle.onClose('metrics', () => server.close());
  return { registry, metricsUrl: server.url };
}

type WorkerParts = WorkerOptions & { redisUrl: string; databaseUrl: string; log: Logger; lifecycle: Lifecycle };

async function openWorker({
  redisUrl,
  databaseUrl,
  log,
  lifecycle,
  signer,
  keep = OUR_LEDGER,
  orders = OUR_ORDERS,
  durability = LOCAL,
  durabilityWaitMs = DURABILITY_WAIT_MS,
  metrics,
  traces,
  retentionDays,
  settling,
  sweeping,
  watching,
  waits,
}: WorkerParts): Promise<WorkerProcess> {
  let faults = 0;
  let open = false;
  const report = throttled((error: Error) => log.warn({ error: error.message }, 'connection fault'));
  const onError = (error: Error) => {
    faults++;
    // Before that, the thrown error reports the fault.
    if (open) report(error);
  };
  const redis = connectRedis(redisUrl, { purpose: 'once', onError });
  const queueing = connectRedis(redisUrl, { purpose: 'queue', onError });
  const working = connectRedis(redisUrl, { purpose: 'queue', onError });
  const replicating = durability.mode === 'replicas' ? connectRedis(redisUrl, { purpose: 'once', onError }) : undefined;
  const connections = [redis, queueing, working, ...(replicating ? [replicating] : [])];
  const sinceReconnect = watchReconnects(redis);
  const database = connectDatabase(databaseUrl, { onError });
  // A separate connection, because credits may keep all others busy, and then the database is not unreachable. Opens on
  // first use.
  const probing = connectDatabase(databaseUrl, { connectionsMax: 1 });
  lifecycle.onClose('connections', async () => {
    for (const connection of connections) connection.disconnect();
    await Promise.all([database.$disconnect(), probing.$disconnect()]);
  });
  const processor = watchProcessor(log);
  lifecycle.onClose('processor', () => processor.close());
  const starting = createStarting(log, waits === true);
  let openedQueues: ReturnType<typeof openQueues> | undefined;
  let epoch: Epoch | undefined;
  let readiness: Readiness | undefined;
  const { registry, ...told } = await openHealth(
    metrics,
    starting.reportUntil(() => readiness),
    log,
    lifecycle,
  );
  await starting.patience(async () => {
    await Promise.all(connections.map((connection) => untilReady(connection)));
    await requireFit(redis, durability, log);
    await requireCommands(redis, 'worker');
    await loadScripts(redis);
  });
  await starting.patience(() => untilAnswers(database, databaseUrl));
  if (registry) {
    const ready = (readiness = await openReadiness({
      parts: [
        {
          name: 'redis',
          ask: () => Promise.all([redis, working].map(askRedis)).then(() => openedQueues && askQueues(openedQueues)),
        },
        { name: 'database', ask: () => probing.$queryRaw`SELECT 1` },
        { name: 'stores', ask: async () => epoch?.ask() },
      ],
    }));
    lifecycle.onClose('readiness', () => void ready.close());
  }
  open = true;

  const ledger = openLedger(database);
  const queues = (openedQueues = openQueues({ connection: queueing, onError }));
  const onElsewhere = (rainId: string, payoutProvider: string) =>
    log.error(
      { rainId, payoutProvider },
      'this rain is paid with another PAYOUT_PROVIDER than this worker has; this worker pays nothing of it',
    );
  const onBrokenPlan = (rainId: string) =>
    log.error(
      { rainId },
      'seed or plan of this rain in the ledger differs from its commitment; this worker pays nothing of it until they match',
    );
  const balance = signedOnly(
    payoutByProvider(ledger, keep(ledger), { onElsewhere, onBrokenPlan }),
    signaturesIn(redis, signer),
  );
  const worker = createCreditWorker({
    connection: working,
    prefix: QUEUE_PREFIX,
    onError,
    log,
    signer,
    balance,
    onCredited: createAnnouncer({ redis, signer }),
    discardedClaims: ledger.discardedClaims,
    ...(traces && { onAnnounced: (announced: Announced) => traceAnnounced(traces, announced) }),
  });
  const replicaWait =
    replicating && durability.mode === 'replicas'
      ? ([replicating, durability.replicas, durabilityWaitMs] as const)
      : undefined;
  let carried = 0;
  const onCarried = (job: CreditJob, readAt: number) => {
    carried += job.entries.length;
    if (traces) traceCarried(traces, job, readAt);
  };
  const relay = createRelay({
    redis,
    queue: queues.credit,
    log,
    ...(replicaWait && { read: readReplicated(...replicaWait) }),
    onCarried,
  });
  relay.start();
  const context = { redis, ledger, signer, actor: 'settler' };
  const stores = (epoch = startEpoch({ context, log }));
  const ending = { sinceReconnect, ...(replicaWait && { replicated: awaitReplicas(...replicaWait) }), ...settling };
  const settler = startSettler({ context, log, ...ending });
  const saleWork = startSaleWork({
    context,
    log,
    queueing,
    working,
    onError,
    orders,
    read: replicaWait && readReplicated(...replicaWait),
    settling: ending,
    sweeping,
    watching,
    registry,
    heldSales: () => stores.heldForSure()?.keys(),
  });
  const areDead: RedeliveryOptions['areDead'] = (rainId, shard, entries) =>
    areDeadLettered(
      queues.dead,
      entries.map((entry) => ({ rainId, shard, ...entry })),
    );
  const redelivery = startRedelivery({
    context,
    log,
    resend: relay.resend,
    jobsPending: () => queues.credit.getJobCountByTypes('waiting', 'active', 'delayed'),
    pendingRanges: () => pendingRanges(redis, [queues.credit, queues.later]),
    areDead,
    ...sweeping,
  });
  const waitingClaims = startWaitingClaims({ context, log, areDead });
  const queueRepair = startQueueRepair({ redis, queues: [queues.credit, queues.later, queues.dead], log });
  const payoutAssigner = startPayoutAssigner({ redis, meet: balance.meet, log });
  const retention =
    retentionDays === undefined
      ? undefined
      : startRetention({ context: { ...context, actor: 'retention' }, days: retentionDays, log });
  const auditor = startAuditor({ context, log, ...watching });
  const redisMonitor = startRedisMonitor({ context, durability, log });
  if (registry) {
    if (readiness) registerReadiness(registry, readiness);
    registerRainMetrics(registry, { redis, auditor, redisMonitor });
    registerEpochMetrics(registry, { ...stores, restoring: () => countRestoring(redis) });
    registerWaitingClaims(registry, waitingClaims);
    registerCreditMetrics(registry, queues.credit, queues.dead, worker.counters);
    registerWorkMetrics(registry, { carried: () => carried, faults: () => faults });
  }
  log.info('worker open');
  lifecycle.onClose('queues', () =>
    Promise.all([...Object.values(queues).map((queue) => queue.close()), saleWork.closeQueues()]),
  );
  lifecycle.onClose('work', async (leftMs) => {
    readiness?.drain();
    const work = deadlineIn(leftMs - CLOSE_CONNECTIONS_MS);
    const jobsMs = Math.max(0, work.leftMs() - 2 * HAND_BACK_MS);
    const ends = {
      relay: relay.stop(work.leftMs()),
      settler: settler.close(),
      redelivery: redelivery.close(),
      waitingClaims: waitingClaims.close(),
      queueRepair: queueRepair.close(),
      payoutAssigner: payoutAssigner.close(),
      ...(retention && { retention: retention.close() }),
      auditor: auditor.close(),
      redisMonitor: redisMonitor.close(),
      stores: stores.close(),
      ...saleWork.close(work, jobsMs),
      creditWorker: worker.close(jobsMs),
    };
    const ended = await Promise.all(
      Object.entries(ends).map(async ([name, end]) => ({ name, how: await work.within<unknown>(end) })),
    );
    const unfinished = ended.filter(({ how }) => how === 'late' || how === 'abandoned').map(({ name }) => name);
    if (unfinished.length > 0)
      log.warn({ unfinished }, 'stopped before this work was done; another worker continues it');
  });
  return {
    ...told,
    close: async (withinMs = CLOSE_MS) => void (await deadlineIn(withinMs).within(lifecycle.close(withinMs))),
  };
}
