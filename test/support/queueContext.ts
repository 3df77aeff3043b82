import { BatchRefused, type PayoutProvider } from '../../src/credit/payoutProvider.ts';
import { ledgerProvider } from '../../src/credit/ledgerProvider.ts';
import { plannedOnly } from '../../src/credit/plannedOnly.ts';
import { createCreditQueue, createDeadQueue, createLaterQueue, type CreditQueue } from '../../src/credit/queue.ts';
import { createCreditWorker, type CreditWorker } from '../../src/credit/worker.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { createPlanCheck } from '../../src/ledger/planCheck.ts';
import { QUEUE_PREFIX, shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { restoredMark } from '../../src/store/restoreClaims.ts';
import { createRain } from '../../src/operator/create.ts';
import type { Queues, SaleQueues } from '../../src/operator/context.ts';
import { loadRain } from '../../src/operator/load.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { openEndedQueue, type EndedQueue } from '../../src/orders/endedQueue.ts';
import { openOrderQueues } from '../../src/orders/queue.ts';
import { createRelay } from '../../src/relay/relay.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { connectRedis, untilReady } from '../../src/platform/redis/connect.ts';
import { openTestContext, type TestContext } from './operatorContext.ts';
import { eventually } from './eventually.ts';

export interface TestQueueContext extends TestContext {
  queues: Queues & SaleQueues & { later: CreditQueue; ordersEnded: EndedQueue };
  /** Users whom the payout provider refuses. */
  barred: Set<string>;
  /** Ten packets of 1.00, open; `winners` users user-0, user-1 … have won the first ones. */
  wonRain(id: string, winners: number): Promise<void>;
  /** Puts an entry into the claim log as a failover, or a hand, may have left it there. */
  log(id: string, entry: string | Claim): Promise<void>;
  /** Carries the claim logs to the queue and has it worked off. */
  credit(): Promise<void>;
  /** Until the queue has nothing left to do. */
  drained(): Promise<void>;
}

/** An operator context with queues, and a worker on them; the relay goes when it is asked to. */
export async function openQueueContext(): Promise<TestQueueContext> {
  const context = await openTestContext();
  const connection = connectRedis(context.redisUrl, { purpose: 'queue', onError: () => {} });
  await untilReady(connection);
  const options = { connection, prefix: QUEUE_PREFIX, onError: () => {} };
  const { orders, later: ordersLater, dead: ordersDead } = openOrderQueues(options);
  const queues = {
    credit: createCreditQueue(options),
    later: createLaterQueue(options),
    dead: createDeadQueue(options),
    orders,
    ordersLater,
    ordersEnded: openEndedQueue(options),
    ordersDead,
  };
  const barred = new Set<string>();
  const payoutProvider: PayoutProvider = {
    async post(rainId, claims) {
      if (claims.some(({ userId }) => barred.has(userId))) throw new BatchRefused('the account is closed');
      return ledgerProvider(context.ledger).post(rainId, claims);
    },
  };
  const worker: CreditWorker = createCreditWorker({
    ...options,
    signer: context.signer,
    log: createLog('credit', 'silent'),
    onCredited: async () => {},
    discardedClaims: context.ledger.discardedClaims,
    balance: plannedOnly(
      payoutProvider,
      createPlanCheck(context.ledger, () => {}),
    ),
  });
  const relay = createRelay({ redis: context.redis, queue: queues.credit, log: createLog('relay', 'silent') });
  const drained = () =>
    eventually(async () => (await queues.credit.getJobCountByTypes('waiting', 'active', 'delayed')) === 0, {
      timeoutMs: 20_000,
    }).then(() => {});
  return {
    ...context,
    queues,
    barred,
    drained,
    async wonRain(id, winners) {
      const now = await redisNow(context.redis);
      await createRain(context, {
        id,
        plan: { budget: '10.00', packets: 10, split: { method: 'even' } },
        opensAt: now - 1_000,
        closesAt: now + 600_000,
      });
      await loadRain(context, id);
      const engine = createGrabEngine(context.redis, (fault) => {
        throw fault;
      });
      if (winners > 0)
        await engine.grab(
          id,
          0,
          Array.from({ length: winners }, (_, i) => `user-${i}`),
        );
    },
    async log(id, entry) {
      const { claims, restored } = shardKeys(id, 0);
      await context.redis.lpush(claims, typeof entry === 'string' ? entry : JSON.stringify(entry));
      // As restore.lua marks it.
      if (typeof entry !== 'string') await context.redis.sadd(restored, restoredMark(context.signer, entry));
    },
    async credit() {
      while ((await relay.round()) !== 'idle');
      await drained();
    },
    async stop() {
      await relay.stop();
      await worker.close(1_000);
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      connection.disconnect();
      await context.stop();
    },
  };
}
