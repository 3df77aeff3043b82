import { createCreditQueue, createDeadQueue } from '../../../src/credit/queue.ts';
import { auditRain } from '../../../src/operator/audit.ts';
import { discardDeadLetter } from '../../../src/operator/deadLetters/discard.ts';
import { connectRedis } from '../../../src/platform/redis/connect.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from '../run.ts';
import type { ClusterDeployment } from './deployment.ts';

const SETTLED_MS_MAX = 60_000;

/**
 * The operator's work after a failover with DURABILITY=local: compensates the users whom the audit names as told twice,
 * and discards their letters, until the rain is settled.
 * @returns these users
 */
export async function compensate({
  cluster,
  context,
  rainId,
  closesAt,
}: Scene<ClusterDeployment>): Promise<Set<string>> {
  const compensated = new Set<string>();
  const connection = connectRedis(cluster.url, { purpose: 'queue', onError: () => {} });
  const options = { connection, prefix: QUEUE_PREFIX, onError: () => {} };
  const queues = { credit: createCreditQueue(options), dead: createDeadQueue(options) };
  try {
    await eventually(
      async () => {
        for (const { toldTo, letterId } of (await auditRain(context, rainId))!.toldTwice) {
          const { ok } = await discardDeadLetter({ ...context, queues }, letterId, 'compensated');
          if (ok) compensated.add(toldTo);
        }
        return (await context.ledger.rain(rainId))!.settledAt !== undefined;
      },
      { timeoutMs: Math.max(0, closesAt - Date.now()) + SETTLED_MS_MAX, everyMs: 500 },
    );
  } finally {
    await Promise.all([queues.credit.close(), queues.dead.close()]);
    connection.disconnect();
  }
  return compensated;
}
