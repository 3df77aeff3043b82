import type { PlayerOptions } from '../../console/player/routes.ts';
import { payoutByProvider } from '../../credit/payoutProviders.ts';
import { idOfDeadLetter } from '../../credit/deadLetter.ts';
import { readDeadLetters } from '../../credit/deadLetters.ts';
import { createDeadQueue, type DeadQueue } from '../../credit/queue.ts';
import { createConfirm } from '../../grab/confirm.ts';
import { QUEUE_PREFIX } from '../../store/keys.ts';
import { connectDatabase } from '../../ledger/database.ts';
import { openLedger } from '../../ledger/ledger.ts';
import { announceCredited } from '../../relay/announce.ts';
import type { Config } from '../../platform/config.ts';
import type { Lifecycle } from '../../platform/process/lifecycle.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import { connectRedis, type RedisClient } from '../../platform/redis/connect.ts';
import { createTokenReader } from '../../platform/auth/tokenReader.ts';
import { CREDIT_BATCHER_LIMITS, createCreditBatcher } from '../../wallet/creditBatcher.ts';
import { createDeadWins } from '../../wallet/deadLetterWins.ts';
import { createLeaderboards } from '../../wallet/leaderboard.ts';
import { openWalletStatement } from '../../wallet/walletStatement.ts';
import { createWalletService } from '../../wallet/walletService.ts';
import { deadLetterFor, type Unbooked } from '../../wallet/unbooked.ts';
import { createWinFinder } from '../../wallet/wins.ts';
import { payoutProviderOf } from './payoutProvider.ts';

/** The book's connections: for those who post, and for those who only read beside them. */
const DATABASE_CONNECTIONS = 6;
const CONFIRM_CONNECTIONS = 2;

export type PlayerConfig = Config & { REDIS_URL: string; DATABASE_URL: string };

/**
 * What players ask about their money. Opens without waiting for Redis or the database: the page is served without them, and who
 * asks is told what can be told.
 */
export function openPlayerBackend(config: PlayerConfig, log: Logger, lifecycle: Lifecycle): Omit<PlayerOptions, 'log'> {
  const { REDIS_URL, DATABASE_URL, DURABILITY, DURABILITY_WAIT_MS, PAYOUT_PROVIDER, ALLOWED_ORIGINS } = config;
  const onError = (error: Error) => log.debug({ error: error.message }, 'connection fault');
  const onFault = (error: unknown) => log.warn({ error: String(error) }, 'settling on demand failed; the worker goes on with it');
  const onElsewhere = (rainId: string, payoutProvider: string) => log.error({ rainId, payoutProvider }, 'this rain is paid with another PAYOUT_PROVIDER than this console has; nothing of it is settled on demand');
  const open = () => connectRedis(REDIS_URL, { purpose: 'once', onError });
  const redis = open();
  const confirming = DURABILITY.mode === 'replicas' ? Array.from({ length: CONFIRM_CONNECTIONS }, open) : [];
  const database = connectDatabase(DATABASE_URL, { connectionsMax: DATABASE_CONNECTIONS, onError });
  const ledger = openLedger(database);
  const letters = openLetters(redis, onError);
  const creditBatcher = createCreditBatcher({
    balance: payoutByProvider(ledger, payoutProviderOf(config)(ledger), onElsewhere), ...CREDIT_BATCHER_LIMITS[PAYOUT_PROVIDER], waitingMax: CREDIT_BATCHER_LIMITS.waitingMax,
    onCredited: (rainId, shard, claims) => announceCredited(redis, rainId, shard, claims), onFault,
    async onUnbooked(unbooked) {
      const { rainId, redPacketId, userId } = unbooked.claim;
      const failed = await letters.bury(unbooked).then(() => undefined, (error: unknown) => String(error));
      log.error({ rainId, redPacketId, userId, ...(failed !== undefined && { failed }) }, `the wallet has paid what the book has given elsewhere: ${failed === undefined ? 'see the dead letters' : 'THERE IS NO LETTER ABOUT IT, make it good by hand'}`);
    },
  });
  const walletService = createWalletService({
    ledger, creditBatcher, findWins: createWinFinder(redis), isDead: createDeadWins(letters.read), onFault,
    ...(DURABILITY.mode === 'replicas' && { confirm: createConfirm({ connections: confirming, replicas: DURABILITY.replicas, waitMs: DURABILITY_WAIT_MS, onFault }) }),
  });
  lifecycle.onClose('connections', () => {
    for (const connection of [redis, ...confirming]) connection.disconnect();
    return database.$disconnect();
  });
  lifecycle.onClose('dead letters', () => letters.close());
  return {
    readToken: createTokenReader({ secret: config.JWT_SECRET, jwksUrl: config.JWKS_URL, issuer: config.JWT_ISSUER, audience: config.JWT_AUDIENCE }, Date.now),
    openWalletStatement: (userId, after, limit) => openWalletStatement({ walletService, ledger }, userId, after, limit),
    leaderboard: createLeaderboards(ledger), allowedOrigins: ALLOWED_ORIGINS,
  };
}

/** The dead letters. A queue whose first words to Redis failed stays dumb, so that another takes its place. */
function openLetters(redis: RedisClient, onError: (error: Error) => void) {
  let queue: DeadQueue | undefined;
  async function close(): Promise<void> {
    const closing = queue;
    queue = undefined;
    await closing?.close().catch(onError);
  }
  async function ask<T>(question: (dead: DeadQueue) => Promise<T>): Promise<T> {
    if (redis.status !== 'ready') throw new Error('Redis is away');
    queue ??= createDeadQueue({ connection: redis, prefix: QUEUE_PREFIX, onError, visiting: true });
    try {
      return await question(queue);
    } catch (error) {
      void close();
      throw error;
    }
  }
  return {
    close,
    read: (limit: number) => ask((dead) => readDeadLetters(dead, { limit })),
    /** Once, however often it is handed in. */
    bury: (unbooked: Unbooked) => ask(async (dead) => {
      const letter = await deadLetterFor(redis, unbooked);
      await dead.add(letter.reason, letter, { jobId: idOfDeadLetter(letter) });
    }),
  };
}
