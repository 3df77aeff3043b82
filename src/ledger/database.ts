import { PrismaPg } from '@prisma/adapter-pg';
import { lastLine } from '../platform/redis/unavailable.ts';
import { serversOf } from '../platform/network/serverUrl.ts';
import { Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
/** What runs inside `database.$transaction(…)`. */
export type Transaction = Prisma.TransactionClient;

/** Limits; each protects the database from this process, or this process from a database that does not answer [R10]. */
const LIMITS = {
  /** Set-based statements need few; PostgreSQL pays for each with a process, and the embedded database takes 100 in all. */
  connectionsMax: 4,
  connectTimeoutMs: 5_000,
  /** The server gives up on a statement before we give up on the server: an outcome that is told beats one that is not. */
  statementTimeoutMs: 15_000,
  queryTimeoutMs: 20_000,
  transactionTimeoutMs: 20_000,
  /**
   * A process that freezes, or whose machine vanishes, between two statements leaves its transaction open and the rows in
   * it locked, the rain's own account among them: all credits of the rain would wait until it wakes. We never think this long.
   */
  idleInTransactionMs: 5_000,
  /** Waiting for a free connection of the pool. */
  transactionWaitMs: 10_000,
} as const;

interface DatabaseOptions {
  connectionsMax?: number;
  /** A connection broke while nobody was using it; the next query opens another. */
  onError?: (error: Error) => void;
}

/** Connects on first use; `$disconnect()` ends it. */
export function connectDatabase(url: string, { connectionsMax = LIMITS.connectionsMax, onError = () => {} }: DatabaseOptions = {}): Database {
  const adapter = new PrismaPg({
    connectionString: url,
    application_name: 'rain',
    max: connectionsMax,
    connectionTimeoutMillis: LIMITS.connectTimeoutMs,
    statement_timeout: LIMITS.statementTimeoutMs,
    query_timeout: LIMITS.queryTimeoutMs,
    idle_in_transaction_session_timeout: LIMITS.idleInTransactionMs,
    keepAlive: true,
  }, { onPoolError: onError, onConnectionError: onError });
  return new PrismaClient({
    adapter,
    errorFormat: 'minimal',
    transactionOptions: { maxWait: LIMITS.transactionWaitMs, timeout: LIMITS.transactionTimeoutMs },
  });
}

/** @throws Error that names the servers, see `unanswered` */
export async function untilAnswers(database: Database, url: string): Promise<void> {
  await database.$queryRaw`SELECT 1`.catch((error: unknown) => { throw unanswered(url, error); });
}

/** What a failed connection is told as: who was asked, without the password, and the last line of what came back. */
export function unanswered(url: string, error: unknown): Error {
  const { message, severity } = error as Error & { severity?: string };
  // PostgreSQL says so itself when it does not let somebody in, with a code of five characters.
  const refused = severity !== undefined || /Code: `[0-9A-Z]{5}`/.test(message);
  return new Error(`the database at ${serversOf(url)} ${refused ? 'lets us not in' : 'does not answer'}: ${lastLine(error)}`, { cause: error });
}
