import { ledgerBalance } from '../../credit/ledgerBalance.ts';
import { areBuried, createCreditQueue, createDeadQueue } from '../../credit/queue.ts';
import { createCreditWorker, HAND_BACK_MS } from '../../credit/worker.ts';
import { QUEUE_PREFIX } from '../../grab/keys.ts';
import { loadScripts } from '../../grab/scripts.ts';
import { connectDatabase } from '../../ledger/database.ts';
import { openLedger } from '../../ledger/ledger.ts';
import { startSettler, type SettlerOptions } from '../../operator/settler.ts';
import { startSweeper } from '../../operator/sweeper.ts';
import { announceCredited } from '../../relay/announce.ts';
import { createRelay } from '../../relay/relay.ts';
import { deadlineIn } from '../../runtime/deadline.ts';
import type { Logger } from '../../runtime/log.ts';
import { connectRedis, untilReady } from '../../runtime/redis.ts';

/** For the whole close, and the part of it that is kept for the connections. */
const CLOSE_MS = 7_500;
const LETTING_GO_MS = 500;

export interface WorkerProcess {
  /** Takes nothing new, ends what is under way and lets go; all of it together takes `withinMs` at most [R10]. */
  close(withinMs?: number): Promise<void>;
}

/**
 * Relay, credit worker, settler and sweeper of one process: everything that happens to a claim after its user was told. As many
 * processes as one likes may run it; none of them is needed for a user to get his answer.
 * @throws when Redis or the database cannot be reached
 */
export async function startWorker(redisUrl: string, databaseUrl: string, log: Logger, settling: Pick<SettlerOptions, 'ttlMs' | 'tidyMs'> = {}): Promise<WorkerProcess> {
  const onError = (error: Error) => log.warn({ error: error.message }, 'connection fault');
  const redis = connectRedis(redisUrl, { purpose: 'once', onError });
  const queueing = connectRedis(redisUrl, { purpose: 'queue', onError });
  const working = connectRedis(redisUrl, { purpose: 'queue', onError });
  const database = connectDatabase(databaseUrl, { onError });
  const release = async () => {
    for (const connection of [redis, queueing, working]) connection.disconnect();
    await database.$disconnect();
  };
  try {
    await Promise.all([redis, queueing, working].map((connection) => untilReady(connection)));
    await loadScripts(redis);
    await database.$queryRaw`SELECT 1`;
  } catch (error) {
    await release();
    throw error;
  }

  const ledger = openLedger(database);
  const queue = createCreditQueue({ connection: queueing, prefix: QUEUE_PREFIX, onError });
  const worker = createCreditWorker({
    connection: working, prefix: QUEUE_PREFIX, onError, log, balance: ledgerBalance(ledger),
    onCredited: (rainId, shard, claims) => announceCredited(redis, rainId, shard, claims),
  });
  const relay = createRelay({ redis, queue, log });
  relay.start();
  const desk = { redis, ledger, actor: 'settler' };
  const settler = startSettler({ desk, log, ...settling });
  const dead = createDeadQueue({ connection: queueing, prefix: QUEUE_PREFIX, onError });
  const sweeper = startSweeper({
    desk, log, resend: relay.resend, jobsPending: () => queue.getJobCountByTypes('waiting', 'active', 'delayed'),
    areDead: (rainId, shard, entries) => areBuried(dead, entries.map((entry) => ({ rainId, shard, ...entry }))),
  });
  log.info('worker open');
  return {
    async close(withinMs = CLOSE_MS) {
      const all = deadlineIn(withinMs);
      const work = deadlineIn(withinMs - LETTING_GO_MS);
      const ends = { relay: relay.stop(work.leftMs()), settler: settler.close(), sweeper: sweeper.close(), clerk: worker.close(Math.max(0, work.leftMs() - 2 * HAND_BACK_MS)) };
      const ended = await Promise.all(Object.entries(ends).map(async ([name, end]) => ({ name, how: await work.within<unknown>(end) })));
      const unfinished = ended.filter(({ how }) => how === 'late' || how === 'abandoned').map(({ name }) => name);
      if (unfinished.length > 0) log.warn({ unfinished }, 'left before it was done; another worker goes on with it');
      await all.within(Promise.all([queue.close(), dead.close()]).then(release));
    },
  };
}
