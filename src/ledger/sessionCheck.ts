import { isUnavailable, lastLine } from '../platform/redis/unavailable.ts';
import type { PrismaClient } from './generated/client.ts';

type Database = Pick<PrismaClient, '$queryRaw'>;

/** In winter and in summer: some zones are at UTC in one of them only. */
const PROBES = [new Date('2027-01-15T11:59:59.999Z'), new Date('2027-07-15T12:00:00.001Z')];
const EPOCHS = PROBES.map((probe) => probe.getTime() / 1_000);

/**
 * `database_times`: times would be stored or read as other moments · `database_schema`: a part of the statements would
 * look for the tables elsewhere · `database_limits`: nothing would end a statement that hangs.
 */
type SessionFault = 'database_times' | 'database_schema' | 'database_limits';

/** Sessions of this database are not as this program needs them. */
export class SessionError extends Error {
  override name = 'SessionError';
  readonly code: SessionFault;
  readonly found: string;
  readonly advice: string;
  constructor(code: SessionFault, found: string, advice: string) {
    super(`${code}: ${found}; nothing was done. ${advice}`);
    this.code = code;
    this.found = found;
    this.advice = advice;
  }
}

/** The names in a session, for its fault. */
export interface SessionNames {
  role: string;
  name: string;
  /** Null: none of its search_path exists. */
  schema: string | null;
}

interface Session extends SessionNames {
  zone: string;
  style: string;
  /** As PostgreSQL writes it; `0`: none. */
  limit: string;
  embedded: boolean;
  /** The moments that were sent are the same there. */
  sent: boolean;
}

/** The ORM looks for tables in public, and SQL of our own where the search_path leads. */
export function requireSchema({ role, name, schema }: SessionNames): void {
  if (schema !== 'public')
    throw new SessionError(
      'database_schema',
      `the search_path of ${role} leads to ${schema === null ? 'no schema' : `the schema ${schema}`} of the database ${name}, and the tables are in public`,
      `Run ALTER ROLE "${role}" IN DATABASE "${name}" SET search_path = public, and start again`,
    );
}

/**
 * Looks whether sessions of this database are as we need them, on a connection as all others are. Moments are sent, and
 * read back.
 * @returns the time zone of the session
 * @throws SessionError when they are not; otherwise the error of the connection
 */
export async function requireSession(database: Database): Promise<string> {
  const [session] = await database.$queryRaw<[Session]>`
    SELECT current_setting('TimeZone') AS "zone", current_setting('DateStyle') AS "style",
      current_user::text AS "role", current_database()::text AS "name", current_schema()::text AS "schema",
      current_setting('statement_timeout') AS "limit", version() ~* 'emcc|emscripten|pglite' AS "embedded",
      ${PROBES}::timestamptz[] = ARRAY(SELECT to_timestamp("epoch") FROM unnest(${EPOCHS}::float8[]) AS probe ("epoch"))
        AS "sent"`;
  const { zone, style, role, name, sent, limit, embedded } = session;
  requireSchema(session);
  const fault = sent ? await faultOfReading(database) : 'it took times that we sent as other ones';
  if (fault !== undefined)
    throw new SessionError(
      'database_times',
      `the database ${name} changes times, with TimeZone ${zone} and DateStyle ${style}: ${fault}`,
      `Run ALTER ROLE "${role}" IN DATABASE "${name}" SET datestyle = 'ISO', let no pooler set another one, and start again`,
    );
  if (limit === '0' && !embedded)
    throw new SessionError(
      'database_limits',
      `the limit of a statement did not arrive at the database ${name}: a pooler in between, such as PgBouncer, has dropped it`,
      'Connect to PostgreSQL itself: limits and locks belong to a session',
    );
  return zone;
}

async function faultOfReading(database: Database): Promise<string | undefined> {
  try {
    const rows = await database.$queryRaw<{ at: Date }[]>`
      SELECT to_timestamp("epoch") AS "at" FROM unnest(${EPOCHS}::float8[]) AS probe ("epoch") ORDER BY "epoch"`;
    const same = rows.every(({ at }, i) => at.getTime() === PROBES[i]!.getTime());
    return same ? undefined : 'we read times of it as other ones';
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return lastLine(error);
  }
}
