import type { Backend } from '../../console/routes/route.ts';
import { requireCommands } from '../../store/permissions.ts';
import { loadScripts } from '../../store/scripts.ts';
import { createSigner } from '../../store/signer.ts';
import { connectDatabase, untilAnswers } from '../../ledger/database.ts';
import { openLedger } from '../../ledger/ledger.ts';
import { awaitReplicas } from '../../relay/replicated.ts';
import type { Lifecycle } from '../../platform/process/lifecycle.ts';
import { throttled, type Logger } from '../../platform/telemetry/log.ts';
import { createStarting } from '../../platform/process/starting.ts';
import { connectRedis, untilReady } from '../../platform/redis/connect.ts';
import { watchReconnects } from '../../platform/redis/reconnectTimer.ts';
import { openOrderSending, openQueues } from '../queues.ts';
import type { ConsoleConfig } from './player.ts';

/** Redis, the ledger and the queues, for the operator's console. Waits for those that cannot be reached yet. */
export async function openBackend(config: ConsoleConfig, log: Logger, lifecycle: Lifecycle): Promise<Backend> {
  const { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, DURABILITY: durability } = config;
  let open = false;
  const report = throttled((error: Error) => log.warn({ error: error.message }, 'connection fault'));
  const onError = (error: Error) => {
    if (open) report(error);
  };
  // Commands have a deadline, because a user waits for the answer.
  const redis = connectRedis(redisUrl, { purpose: 'once', onError });
  const queueing = connectRedis(redisUrl, { purpose: 'once', onError });
  const sinceReconnect = watchReconnects(redis);
  const database = connectDatabase(databaseUrl, { onError });
  lifecycle.onClose('connections', () => {
    redis.disconnect();
    queueing.disconnect();
    return database.$disconnect();
  });
  const { patience } = createStarting(log);
  await patience(async () => {
    await Promise.all([untilReady(redis), untilReady(queueing)]);
    await requireCommands(redis, 'operator');
    await loadScripts(redis);
  });
  await patience(() => untilAnswers(database, databaseUrl));
  open = true;
  const queues = openQueues({ connection: queueing, onError, visiting: true });
  const orders = openOrderSending(queueing, onError);
  lifecycle.onClose('queues', () => {
    open = false;
    return Promise.allSettled([orders.close(), ...Object.values(queues).map((queue) => queue.close())]);
  });
  return {
    redis,
    ledger: openLedger(database),
    signer: createSigner(config.SIGNING_SECRET),
    orderService: config.ORDER_SERVICE,
    ...(config.APPROVAL_ABOVE !== undefined && { approvalAboveCents: config.APPROVAL_ABOVE }),
    ...(config.TIME_ZONE !== undefined && { timeZone: config.TIME_ZONE }),
    queues,
    sendReservations: orders.send,
    sinceReconnect,
    settleAfterReconnectMs: config.SETTLE_AFTER_RECONNECT_MS,
    ...(durability.mode === 'replicas' && {
      replicated: awaitReplicas(redis, durability.replicas, config.DURABILITY_WAIT_MS),
    }),
  };
}
