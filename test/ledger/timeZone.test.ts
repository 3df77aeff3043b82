import { PrismaPg } from '@prisma/adapter-pg';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { connectDatabase, untilAnswers, type Database } from '../../src/ledger/database.ts';
import { PrismaClient } from '../../src/ledger/generated/client.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { eventually } from '../support/eventually.ts';
import { startDatabase } from '../support/servers/database.ts';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { FIRST_WIN, newRain } from './claims.ts';

/** Ahead of UTC and behind it, with summer time and without, by half hours and quarters of an hour. */
const ZONES = ['Asia/Shanghai', 'America/New_York', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Kiritimati', 'UTC'];

/** Around the changes of clocks in those zones: hours that a clock on the wall skips or shows twice. */
const MOMENTS = [
  '2027-03-14T01:30:00.000Z', '2027-03-14T02:30:00.123Z', '2027-03-14T07:00:00.000Z', '2027-11-07T01:30:00.000Z', '2027-11-07T05:30:00.001Z', '2027-11-07T06:30:00.999Z',
  '2027-03-28T02:30:00.000Z', '2027-03-28T01:00:00.000Z', '2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00.000Z', '2027-10-31T02:30:00.000Z', '2027-10-02T15:30:00.000Z',
  '2026-11-28T09:38:21.000Z', '2028-02-29T23:59:59.999Z', '1970-01-01T00:00:00.000Z', '9999-12-31T00:00:00.000Z',
].map((text) => new Date(text));

async function within(settings: readonly string[], work: (database: Database, url: string) => Promise<void>): Promise<void> {
  const { url, stop } = await startDatabase();
  const owner = new Client({ connectionString: url });
  await owner.connect();
  for (const setting of settings) await owner.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`);
  await owner.end();
  const database = connectDatabase(url);
  try {
    await work(database, url);
  } finally {
    await database.$disconnect();
    await stop();
  }
}

describe.skipIf(!postgresInstalled).each(ZONES)('in a database whose time zone is %s', (zone) => {
  test('each time that is written is that time for SQL, and is read as that time, also around a change of clocks', () => within([`timezone = '${zone}'`], async (database, url) => {
    expect(await database.$queryRaw`SELECT current_setting('TimeZone') AS zone`).toEqual([{ zone }]);
    const rows = MOMENTS.map((excludedAt, i) => ({ campaignId: 'c', userId: String(i).padStart(2, '0'), source: null, excludedAt }));
    await database.campaign.create({ data: { id: 'c', title: 'c', winsPerUserMax: 1 } });
    await database.campaignExclusion.createMany({ data: rows.slice(0, 8) });
    await database.$transaction(async (transaction) => {
      await transaction.campaignExclusion.createMany({ data: rows.slice(8) });
      expect(await transaction.campaignExclusion.findMany({ orderBy: { userId: 'asc' } })).toEqual(rows);
    });
    expect(await database.campaignExclusion.findMany({ orderBy: { userId: 'asc' } })).toEqual(rows);
    const stored = await database.$queryRaw<{ at: Date; ms: number }[]>`SELECT "excludedAt" AS at, (extract(epoch FROM "excludedAt") * 1000)::float8 AS ms FROM "CampaignExclusion" ORDER BY "userId"`;
    expect(stored).toEqual(MOMENTS.map((at) => ({ at, ms: at.getTime() })));
    for (const [i, excludedAt] of MOMENTS.entries()) {
      expect(await database.campaignExclusion.count({ where: { excludedAt } }), String(i)).toBe(1);
      expect(await database.$queryRaw`SELECT "userId" FROM "CampaignExclusion" WHERE "excludedAt" = ${excludedAt}::timestamptz`).toEqual([{ userId: rows[i]!.userId }]);
    }
    expect(await database.campaignExclusion.count({ where: { excludedAt: { in: MOMENTS } } })).toBe(MOMENTS.length);
    expect(await database.$queryRaw`SELECT ${MOMENTS}::timestamptz[] AS ats, NULL::timestamptz AS nothing`).toEqual([{ ats: MOMENTS, nothing: null }]);
    // Text of a user stays text.
    const title = '2027-03-14 02:30:00';
    expect(await database.campaign.create({ data: { id: 'text', title, winsPerUserMax: 1 } })).toMatchObject({ title });
    await untilAnswers(database, url);
  }));

  test("a rain's times are those asked for, its creation and settlement are now, and a connection that was cut is followed by one that is right", () => within([`timezone = '${zone}'`], async (database, url) => {
    const ledger = openLedger(database);
    const now = Date.now();
    await ledger.createRain(newRain('r', 100n), 'ann');
    expect(await ledger.reschedule('r', { opensAt: FIRST_WIN + 1, closesAt: FIRST_WIN + 60_001 }, { actor: 'ann', verb: 'schedule' }, { opensAt: FIRST_WIN, closesAt: FIRST_WIN + 60_000 })).toBe(true);
    expect((await ledger.overdue(FIRST_WIN + 60_000)).length + (await ledger.overdue(FIRST_WIN + 60_001)).length).toBe(1);
    await database.$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await ledger.seal('r');
    const settledAt = await ledger.settle('r');
    const { createdAt, opensAt, closesAt, ...rain } = await eventually(async () => (await ledger.rain('r'))!);
    expect({ opensAt, closesAt, settledAt: rain.settledAt }).toEqual({ opensAt: FIRST_WIN + 1, closesAt: FIRST_WIN + 60_001, settledAt });
    for (const at of [createdAt, settledAt, rain.sealedAt!, (await ledger.actions('r'))[0]!.at]) expect(Math.abs(at - now)).toBeLessThan(60_000);
    const [row] = await database.$queryRaw<{ late: number }[]>`SELECT abs(extract(epoch FROM now() - "createdAt"))::float8 AS late FROM "Rain"`;
    expect(row!.late).toBeLessThan(60);
    await untilAnswers(database, url);
  }));
});

describe.skipIf(!postgresInstalled)('refused before anything is done, with the setting and what to do', () => {
  test('a database that writes times in a way we cannot read; and no time of it is guessed', () => within(["datestyle = 'SQL, DMY'", "timezone = 'Europe/Berlin'"], async (database, url) => {
    const name = new URL(url).pathname.slice(1);
    await expect(untilAnswers(database, url)).rejects.toThrow(`database_times: the database ${name} does not store and return times as they are`);
    await expect(untilAnswers(database, url)).rejects.toThrow(`have TimeZone Europe/Berlin and DateStyle SQL, DMY; nothing was done. Run ALTER ROLE "postgres" IN DATABASE "${name}" SET datestyle = 'ISO'`);
    await openLedger(database).createRain(newRain('r', 100n), 'ann').catch(() => {});
    await expect(openLedger(database).rain('r')).rejects.toThrow('DateStyle');
  }));

  test('a connection by which times lose their offset, where that matters', () => within(["timezone = 'Europe/London'"], async (_, url) => {
    const database = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 1 }) });
    try {
      await expect(untilAnswers(database, url)).rejects.toThrow('it took the times that we sent as other ones. Its sessions have TimeZone Europe/London');
      await database.$executeRaw`SET TIME ZONE 'UTC'`;
      await untilAnswers(database, url);
    } finally {
      await database.$disconnect();
    }
  }));
});
