import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { StatementCursor } from '../../ledger/walletStatement.ts';
import { firstRefusal } from '../../rain/refusal.ts';
import { deadlineIn } from '../../platform/concurrency/deadline.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import type { ReadToken } from '../../platform/auth/tokenReader.ts';
import type { Leaderboard } from '../../wallet/leaderboard.ts';
import { readPlace, type WalletStatement } from '../../wallet/walletStatement.ts';
import { PLAYER_REFUSALS, refusalFor, refuse } from '../refusals.ts';
import { EXPECTED_CURSOR, limit, rainParams } from '../contract/endpoint.ts';
import { visitorAddress } from '../session/authenticate.ts';
import { createBearerReader } from './bearer.ts';
import { allowOrigin, allowPreflight } from './origins.ts';
import { createRateLimiter, WALLETS_PER_USER } from './rateLimiter.ts';
import type { UnknownRains } from './unknownRains.ts';

/** Each limit protects this process, or the ledger, from one careless or hostile visitor [R10]. */
const LIMITS = {
  /** A whole office may share one address and read its wallets at the end of a rain. */
  perMinutePerAddress: 30_000,
  pageMax: 100,
  cursorCharactersMax: 800,
  answerMsMax: 4_000,
  unavailableRetryMs: 2_000,
  /** Requests in progress, each of which reads the ledger. Further ones are told to retry after a random time. */
  answersAtOnceMax: 500,
  busyMsMin: 1_000,
  busyMsMax: 5_000,
} as const;

export interface PlayerOptions {
  readToken: ReadToken;
  openWalletStatement: (userId: string, after: StatementCursor | undefined, limit: number) => Promise<WalletStatement>;
  leaderboard: (rainId: string) => Promise<Leaderboard | undefined>;
  unknownRains: UnknownRains;
  /** Further origins whose pages may read the answers, besides this console's own. */
  allowedOrigins: readonly string[];
  log: Logger;
  perMinutePerUser?: number;
  answersAtOnceMax?: number;
}

const walletQuery = z.strictObject({
  limit: limit(LIMITS.pageMax, 20),
  cursor: z
    .string(EXPECTED_CURSOR)
    .max(LIMITS.cursorCharactersMax)
    .transform(readPlace)
    .refine((place) => place !== undefined, EXPECTED_CURSOR)
    .optional(),
});

/**
 * Serves a player's wallet and the public leaderboards. The token identifies the player [R9]; cookies are never read.
 */
export function servePlayers(
  server: FastifyInstance,
  {
    readToken,
    openWalletStatement,
    leaderboard,
    unknownRains,
    allowedOrigins,
    log,
    perMinutePerUser = WALLETS_PER_USER.perMinute,
    answersAtOnceMax = LIMITS.answersAtOnceMax,
  }: PlayerOptions,
): void {
  let inProgress = 0;
  const bearerOf = createBearerReader(readToken);
  const wallets = createRateLimiter({ ...WALLETS_PER_USER, atOnceMax: perMinutePerUser, perMinute: perMinutePerUser });
  const route = {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      allowOrigin(request, reply, allowedOrigins);
    },
  };

  server.get(
    '/api/me',
    { ...route, config: { rateLimit: { max: LIMITS.perMinutePerAddress, timeWindow: 60_000 } } },
    async (request, reply) => {
      const bearer = await bearerOf(request);
      if (bearer === 'unavailable') return refuse(reply, PLAYER_REFUSALS.unavailable, LIMITS.unavailableRetryMs);
      const user = bearer?.userId;
      if (user === undefined) return refuse(reply.header('www-authenticate', 'Bearer'), PLAYER_REFUSALS.no_token);
      const waitMs = wallets.take(user);
      if (waitMs > 0) return refuse(reply, PLAYER_REFUSALS.too_often, waitMs);
      const query = walletQuery.safeParse(request.query);
      if (!query.success) return refuse(reply, refusalFor([firstRefusal(query.error, 'request')], 'bad_request'));
      return answer(reply.header('cache-control', 'no-store'), () =>
        counted(() => openWalletStatement(user, query.data.cursor, query.data.limit)),
      );
    },
  );

  // No limit of its own: from memory it costs no more than a refusal, which would shut out a whole hall.
  server.get('/api/rains/:rainId/luckiest', route, async (request, reply) => {
    const path = rainParams.safeParse(request.params);
    if (!path.success) return refuse(reply, refusalFor([firstRefusal(path.error, 'request')], 'bad_request'));
    const address = visitorAddress(request);
    const { rainId } = path.data;
    if (unknownRains.exceeds(address, rainId)) return refuse(reply, PLAYER_REFUSALS.too_often, 60_000);
    return answer(reply.header('cache-control', 'public, max-age=1'), () =>
      unknownRains.lookUp(
        address,
        rainId,
        () => reply.raw.destroyed,
        () => counted(() => leaderboard(rainId)),
      ),
    );
  });

  for (const path of ['/api/me', '/api/rains/:rainId/luckiest'])
    server.options(path, route, async (_request, reply) => allowPreflight(reply).code(204).send());

  /** Counts until the read ends, not until the answer: a late read still loads the ledger. */
  async function counted<T>(read: () => Promise<T>): Promise<T> {
    inProgress++;
    try {
      return await read();
    } finally {
      inProgress--;
    }
  }

  async function answer<T extends object>(
    reply: FastifyReply,
    read: () => Promise<T | undefined>,
  ): Promise<T | FastifyReply> {
    if (inProgress >= answersAtOnceMax)
      return refuse(
        reply,
        PLAYER_REFUSALS.busy,
        LIMITS.busyMsMin + Math.random() * (LIMITS.busyMsMax - LIMITS.busyMsMin),
      );
    try {
      const found = await deadlineIn(LIMITS.answerMsMax).within(read());
      if (found !== 'late') return found ?? refuse(reply, PLAYER_REFUSALS.no_such_rain);
    } catch (error) {
      log.warn({ err: error }, 'cannot answer a player');
    }
    return refuse(reply, PLAYER_REFUSALS.unavailable, LIMITS.unavailableRetryMs);
  }
}
