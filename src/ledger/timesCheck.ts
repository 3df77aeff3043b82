import { isUnavailable, lastLine } from '../platform/redis/unavailable.ts';
import type { PrismaClient } from './generated/client.ts';

type Database = Pick<PrismaClient, '$queryRaw'>;

/** In winter and in summer: some zones are at UTC in one of them only. */
const PROBES = [new Date('2027-01-15T11:59:59.999Z'), new Date('2027-07-15T12:00:00.001Z')];
const EPOCHS = PROBES.map((probe) => probe.getTime() / 1_000);

/** Times would be stored or read as other moments in this database. */
export class TimesError extends Error {
  override name = 'TimesError';
  readonly code = 'database_times';
  readonly found: string;
  readonly advice: string;
  constructor(found: string, advice: string) {
    super(`database_times: ${found}; nothing was done. ${advice}`);
    this.found = found;
    this.advice = advice;
  }
}

interface Session {
  zone: string;
  style: string;
  role: string;
  name: string;
  /** The moments that were sent are the same there. */
  sent: boolean;
}

/**
 * Sends moments to the database and reads them back, on a connection as all others are.
 * @returns the time zone of the session
 * @throws TimesError when they are others there, or come back as others; otherwise the error of the connection
 */
export async function requireTimes(database: Database): Promise<string> {
  const [session] = await database.$queryRaw<[Session]>`
    SELECT current_setting('TimeZone') AS "zone", current_setting('DateStyle') AS "style",
      current_user::text AS "role", current_database()::text AS "name",
      ${PROBES}::timestamptz[] = ARRAY(SELECT to_timestamp("epoch") FROM unnest(${EPOCHS}::float8[]) AS probe ("epoch"))
        AS "sent"`;
  const { zone, style, role, name, sent } = session;
  const fault = sent ? await faultOfReading(database) : 'it took times that we sent as other ones';
  if (fault === undefined) return zone;
  throw new TimesError(
    `the database ${name} changes times, with TimeZone ${zone} and DateStyle ${style}: ${fault}`,
    `Run ALTER ROLE "${role}" IN DATABASE "${name}" SET datestyle = 'ISO', let no pooler set another one, and start again`,
  );
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
