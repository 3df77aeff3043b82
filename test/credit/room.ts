import type { Job } from 'bullmq';
import {
  createDeadQueue,
  createCreditQueue,
  createLaterQueue,
  type CreditQueue,
  type DeadQueue,
} from '../../src/credit/queue.ts';
import type { DeadLetter } from '../../src/credit/deadLetter.ts';
import { ledgerProvider } from '../../src/credit/ledgerProvider.ts';
import { createCreditWorker, type CreditWorker, type CreditWorkerOptions } from '../../src/credit/worker.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { connectRedis, untilReady, type RedisClient } from '../../src/platform/redis/connect.ts';
import { startDatabase } from '../support/servers/database.ts';
import { startRedis } from '../support/servers/redis.ts';
import { signer } from '../support/signer.ts';

/** Redis, the queue and the book of one test file, all real, and workers on them. */
export interface Room {
  redisUrl: string;
  /** As the product has it, with purpose `once`. */
  redis: RedisClient;
  /** The test's own, which is patient: a busy machine is no fault. */
  hand: RedisClient;
  database: Database;
  ledger: Ledger;
  queue: CreditQueue;
  /** Claims that were not taken yet. */
  later: CreditQueue;
  dead: DeadQueue;
  work(options?: Partial<CreditWorkerOptions>): CreditWorker;
  /** Sends the workers home; after every test, or they would work for the next. */
  rest(): Promise<void>;
  letters(rainId: string): Promise<DeadLetter[]>;
  stop(): Promise<void>;
}

const ignore = () => {};

export async function openRoom(): Promise<Room> {
  const [server, databaseServer] = await Promise.all([startRedis(), startDatabase()]);
  const redis = connectRedis(server.url, { purpose: 'once', onError: ignore });
  const connection = connectRedis(server.url, { purpose: 'queue', onError: ignore });
  await Promise.all([untilReady(redis), untilReady(connection)]);
  const database = connectDatabase(databaseServer.url);
  const ledger = openLedger(database);
  const options = { connection, prefix: QUEUE_PREFIX, onError: ignore };
  const queue = createCreditQueue(options);
  const later = createLaterQueue(options);
  const dead = createDeadQueue(options);
  const workers: CreditWorker[] = [];
  const rest = async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close(1_000)));
  };
  return {
    redisUrl: server.url,
    redis,
    hand: connection,
    database,
    ledger,
    queue,
    later,
    dead,
    work(differing = {}) {
      const worker = createCreditWorker({
        ...options,
        signer,
        balance: ledgerProvider(ledger),
        onCredited: async () => {},
        log: createLog('credit', 'silent'),
        backoff: { firstDelayMs: 10, delayMsMax: 100 },
        ...differing,
      });
      workers.push(worker);
      return worker;
    },
    rest,
    async letters(rainId) {
      const jobs = (await dead.getJobs(['waiting'])) as Job<DeadLetter>[];
      return jobs
        .map(({ data }) => data)
        .filter((letter) => letter.rainId === rainId)
        .sort((a, b) => a.index - b.index);
    },
    async stop() {
      await rest();
      await Promise.all([queue.close(), later.close(), dead.close()]);
      await database.$disconnect();
      connection.disconnect();
      redis.disconnect();
      await Promise.all([server.stop(), databaseServer.stop()]);
    },
  };
}
