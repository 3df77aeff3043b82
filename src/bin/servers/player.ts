import type { EntryOptions } from '../../console/player/entry.ts';
import { followBlockedGuests } from '../../console/blockedGuests.ts';
import type { PlayerOptions } from '../../console/player/routes.ts';
import { payoutByProvider } from '../../credit/payoutProviders.ts';
import { signedOnly } from '../../credit/signedOnly.ts';
import { readHeartbeats } from '../../store/gatewayHeartbeat.ts';
import { signaturesIn } from '../../store/rains.ts';
import { createSigner, type Signer } from '../../store/signer.ts';
import { addDeadLetters, readDeadLetters } from '../../credit/deadLetters.ts';
import { createDeadQueue, type DeadQueue } from '../../credit/queue.ts';
import { createConfirm } from '../../grab/confirm.ts';
import { QUEUE_PREFIX } from '../../store/keys.ts';
import { connectDatabase } from '../../ledger/database.ts';
import { openLedger, type Ledger } from '../../ledger/ledger.ts';
import { createAnnouncer } from '../../relay/announce.ts';
import type { Config } from '../../platform/config.ts';
import type { Lifecycle } from '../../platform/process/lifecycle.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import { connectRedis, type RedisClient } from '../../platform/redis/connect.ts';
import { createTokenReader } from '../../platform/auth/tokenReader.ts';
import { CREDIT_BATCHER_LIMITS, createCreditBatcher } from '../../wallet/creditBatcher.ts';
import { createDeadWins, deadLetterFor, type Unbooked } from '../../wallet/deadLetters.ts';
import { createLeaderboards } from '../../wallet/leaderboard.ts';
import { openWalletStatement } from '../../wallet/walletStatement.ts';
import { createWalletService } from '../../wallet/walletService.ts';
import { createWinFinder } from '../../wallet/wins.ts';
import { payoutProviderOf } from './payoutProvider.ts';

/** Connections to the database, for postings and for reads. */
const DATABASE_CONNECTIONS = 6;
const CONFIRM_CONNECTIONS = 2;

export type ConsoleConfig = Config & { REDIS_URL: string; DATABASE_URL: string; SIGNING_SECRET: string };

interface PlayerBackend extends Omit<PlayerOptions, 'log' | 'unknownRains'> {
  ledger: Ledger;
  enterByCode: NonNullable<EntryOptions['enterByCode']>;
  countPhones: NonNullable<EntryOptions['countPhones']>;
  blockedGuests: NonNullable<EntryOptions['blockedGuests']>;
}

/**
 * Opens without waiting for Redis or the database: the page is served without them, and each request is answered as far
 * as possible.
 */
export function openPlayerBackend(config: ConsoleConfig, log: Logger, lifecycle: Lifecycle): PlayerBackend {
  const { REDIS_URL, DATABASE_URL, DURABILITY, DURABILITY_WAIT_MS, PAYOUT_PROVIDER, ALLOWED_ORIGINS } = config;
  const onError = (error: Error) => log.debug({ error: error.message }, 'connection fault');
  const onFault = (error: unknown) =>
    log.warn({ error: String(error) }, 'crediting on demand failed; the worker will credit the claim');
  const onElsewhere = (rainId: string, payoutProvider: string) =>
    log.error(
      { rainId, payoutProvider },
      'this rain is paid with another PAYOUT_PROVIDER than this console has; the console credits nothing of it on demand',
    );
  const onBrokenPlan = (rainId: string) =>
    log.error(
      { rainId },
      'seed or plan of this rain in the ledger differs from its commitment; the console credits nothing of it on demand until they match',
    );
  const open = () => connectRedis(REDIS_URL, { purpose: 'once', onError });
  const redis = open();
  const confirming = DURABILITY.mode === 'replicas' ? Array.from({ length: CONFIRM_CONNECTIONS }, open) : [];
  const database = connectDatabase(DATABASE_URL, { connectionsMax: DATABASE_CONNECTIONS, onError });
  const ledger = openLedger(database);
  const signer = createSigner(config.SIGNING_SECRET);
  const letters = openLetters(redis, signer, onError);
  const creditBatcher = createCreditBatcher({
    balance: signedOnly(
      payoutByProvider(ledger, payoutProviderOf(config)(ledger), { onElsewhere, onBrokenPlan }),
      signaturesIn(redis, signer),
    ),
    ...CREDIT_BATCHER_LIMITS[PAYOUT_PROVIDER],
    waitingMax: CREDIT_BATCHER_LIMITS.waitingMax,
    onCredited: createAnnouncer({ redis, signer }),
    onFault,
    async onUnbooked(unbooked) {
      const { rainId, redPacketId, userId } = unbooked.claim;
      const failed = await letters.add(unbooked).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      log.error(
        { rainId, redPacketId, userId, ...(failed !== undefined && { failed }) },
        `the wallet has paid a packet that the ledger has posted to another user: ${failed === undefined ? 'see the dead letters' : 'THE DEAD LETTER COULD NOT BE WRITTEN, correct this by hand'}`,
      );
    },
  });
  const walletService = createWalletService({
    ledger,
    creditBatcher,
    findWins: createWinFinder(redis),
    isDead: createDeadWins(letters.read),
    onFault,
    ...(DURABILITY.mode === 'replicas' && {
      confirm: createConfirm({
        connections: confirming,
        replicas: DURABILITY.replicas,
        waitMs: DURABILITY_WAIT_MS,
        onFault,
      }),
    }),
  });
  lifecycle.onClose('connections', () => {
    for (const connection of [redis, ...confirming]) connection.disconnect();
    return database.$disconnect();
  });
  lifecycle.onClose('dead letters', () => letters.close());
  return {
    ledger,
    readToken: createTokenReader(
      { secret: config.JWT_SECRET, jwksUrl: config.JWKS_URL, issuer: config.JWT_ISSUER, audience: config.JWT_AUDIENCE },
      Date.now,
    ),
    openWalletStatement: (userId, after, limit) => openWalletStatement({ walletService, ledger }, userId, after, limit),
    leaderboard: createLeaderboards(ledger, { names: config.WINNER_NAMES }),
    allowedOrigins: ALLOWED_ORIGINS,
    enterByCode: (code) => ledger.enterByCode(signer.participantCodeKeys(code)),
    blockedGuests: followBlockedGuests(redis),
    countPhones: async () =>
      (await readHeartbeats(redis)).reduce((sum, { sockets, screens }) => sum + sockets - screens, 0),
  };
}

/** The dead letters. Without Redis, each call rejects at once instead of waiting for it. */
function openLetters(redis: RedisClient, signer: Pick<Signer, 'letterMac'>, onError: (error: Error) => void) {
  const queue = createDeadQueue({ connection: redis, prefix: QUEUE_PREFIX, onError, visiting: true });
  const reachable = (): DeadQueue => {
    if (redis.status !== 'ready') throw new Error('Redis is unreachable');
    return queue;
  };
  return {
    close: () => queue.close(),
    read: async (limit: number) => readDeadLetters(reachable(), { limit }),
    /** Idempotent: the same letter is added only once. */
    async add(unbooked: Unbooked): Promise<void> {
      const dead = reachable();
      await addDeadLetters(dead, [await deadLetterFor(redis, unbooked)], signer);
    },
  };
}
