import { lastLine } from '../platform/redis/unavailable.ts';
import { serversOf } from '../platform/network/serverUrl.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import { requireSession, SessionError } from './sessionCheck.ts';
import { ZonedAdapter } from './zonedAdapter.ts';

export type Database = PrismaClient;
/** The client inside `database.$transaction(…)`. */
export type Transaction = Prisma.TransactionClient;

/** Limits. Each protects the database from this process, or this process from a database that does not answer [R10]. */
const LIMITS = {
  /**
   * Set-based statements need few connections. PostgreSQL starts a process for each; the embedded database accepts 100
   * in all.
   */
  connectionsMax: 4,
  connectTimeoutMs: 5_000,
  /** The server cancels a statement before the client gives up: a reported outcome is better than an unknown one. */
  statementTimeoutMs: 15_000,
  queryTimeoutMs: 20_000,
  transactionTimeoutMs: 20_000,
  /**
   * A process that freezes between two statements leaves its rows locked, the rain's account among them: all credits of
   * the rain would wait for it. This process never pauses this long.
   */
  idleInTransactionMs: 5_000,
  /** Limit for waiting for a free connection of the pool. */
  transactionWaitMs: 10_000,
} as const;

interface DatabaseOptions {
  connectionsMax?: number;
  /** Called when an idle connection broke; the next query opens another one. */
  onError?: (error: Error) => void;
}

/** Connects on first use; `$disconnect()` closes the connections. */
export function connectDatabase(
  url: string,
  { connectionsMax = LIMITS.connectionsMax, onError = () => {} }: DatabaseOptions = {},
): Database {
  const adapter = new ZonedAdapter(
    {
      connectionString: url,
      application_name: 'rain',
      max: connectionsMax,
      connectionTimeoutMillis: LIMITS.connectTimeoutMs,
      statement_timeout: LIMITS.statementTimeoutMs,
      query_timeout: LIMITS.queryTimeoutMs,
      idle_in_transaction_session_timeout: LIMITS.idleInTransactionMs,
      // Compiling a statement takes longer than any of ours, and a planner that is steered away from a plan thinks it
      // is expensive.
      options: '-c jit=off',
      keepAlive: true,
    },
    { onPoolError: onError, onConnectionError: onError },
  );
  return new PrismaClient({
    adapter,
    errorFormat: 'minimal',
    transactionOptions: { maxWait: LIMITS.transactionWaitMs, timeout: LIMITS.transactionTimeoutMs },
  });
}

/**
 * Waits until the database answers, and looks whether it stores and returns times as they are.
 * @throws SessionError when it does not; Error that names the servers, see `connectionError`
 */
export async function untilAnswers(database: Database, url: string): Promise<void> {
  await requireSession(database).catch((error: unknown) => {
    throw error instanceof SessionError ? error : connectionError(url, error);
  });
}

/** The error for a failed connection: the servers without the password, and the last line of the cause. */
export function connectionError(url: string, error: unknown): Error {
  const { message, severity } = error as Error & { severity?: string };
  // PostgreSQL rejects a login with a severity and a code of five characters.
  const refused = severity !== undefined || /Code: `[0-9A-Z]{5}`/.test(message);
  if (/unsupported startup parameter/.test(message))
    return new SessionError(
      'database_limits',
      `a pooler such as PgBouncer stands at ${serversOf(url)} and does not pass on the limits of a session: ${lastLine(error)}`,
      'Connect to PostgreSQL itself: limits and locks belong to a session',
    );
  return new Error(
    `the database at ${serversOf(url)} ${refused ? 'rejected our login' : 'does not answer'}: ${lastLine(error)}`,
    { cause: error },
  );
}
