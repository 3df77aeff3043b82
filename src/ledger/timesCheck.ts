import { isUnavailable, lastLine } from '../platform/redis/unavailable.ts';
import type { PrismaClient } from './generated/client.ts';

type Database = Pick<PrismaClient, '$queryRaw'>;

/** In winter and in summer: some zones are at UTC in one of them only. */
const PROBES = [new Date('2027-01-15T11:59:59.999Z'), new Date('2027-07-15T12:00:00.001Z')];

/** Times would be stored or read as other moments in this database. */
export class TimesError extends Error {
  override name = 'TimesError';
  readonly code = 'database_times';
}

/**
 * Sends moments to the database and reads them back, on a connection as all others are.
 * @returns the time zone of the session
 * @throws TimesError when they are others there, or come back as others; otherwise the error of the connection
 */
export async function requireTimes(database: Database): Promise<string> {
  const epochs = PROBES.map((probe) => probe.getTime() / 1_000);
  const [session] = await database.$queryRaw<{ zone: string; style: string; role: string; name: string; sent: boolean }[]>`
    SELECT current_setting('TimeZone') AS "zone", current_setting('DateStyle') AS "style", current_user::text AS "role", current_database()::text AS "name",
      ${PROBES}::timestamptz[] = ARRAY(SELECT to_timestamp("epoch") FROM unnest(${epochs}::float8[]) AS probe ("epoch")) AS "sent"`;
  const { zone, style, role, name, sent } = session!;
  const fault = sent ? await faultOfReading(database, epochs) : 'it took the times that we sent as other ones';
  if (fault === undefined) return zone;
  throw new TimesError(`database_times: the database ${name} does not store and return times as they are: ${fault}. Its sessions have TimeZone ${zone} and DateStyle ${style}; nothing was done. `
    + `Run ALTER ROLE "${role}" IN DATABASE "${name}" SET datestyle = 'ISO', and the same with timezone = 'UTC', then start again; a pooler in between must not set others`);
}

async function faultOfReading(database: Database, epochs: readonly number[]): Promise<string | undefined> {
  try {
    const rows = await database.$queryRaw<{ at: Date }[]>`SELECT to_timestamp("epoch") AS "at" FROM unnest(${[...epochs]}::float8[]) WITH ORDINALITY AS probe ("epoch", "place") ORDER BY "place"`;
    return rows.every(({ at }, i) => at.getTime() === PROBES[i]!.getTime()) ? undefined : 'we read its times as other ones';
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return lastLine(error);
  }
}
