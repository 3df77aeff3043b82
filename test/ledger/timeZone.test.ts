import { readFileSync } from 'node:fs';
import { PrismaPg } from '@prisma/adapter-pg';
import { describe, expect, test } from 'vitest';
import { connectDatabase, untilAnswers, type Database } from '../../src/ledger/database.ts';
import { examineDatabase } from '../../src/ledger/databaseCheck.ts';
import { PrismaClient } from '../../src/ledger/generated/client.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { checkDatabase } from '../../src/operator/doctor/database.ts';
import { examineWindows } from '../../src/operator/doctor/windows.ts';
import { eventually } from '../support/eventually.ts';
import { startDatabase } from '../support/servers/database.ts';
import { execute, postgresInstalled } from '../support/servers/postgres.ts';
import { FIRST_WIN, newRain } from './claims.ts';
import { newSale } from './contract-sales.ts';

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
  for (const setting of settings) await execute(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`);
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
    await expect(untilAnswers(database, url)).rejects.toThrow('with TimeZone Europe/Berlin and DateStyle SQL, DMY');
    await expect(untilAnswers(database, url)).rejects.toThrow(`nothing was done. Run ALTER ROLE "postgres" IN DATABASE "${name}" SET datestyle = 'ISO'`);
    expect(checkDatabase(await examineDatabase(url)).filter(({ name: of }) => of === 'times')).toMatchObject([{ verdict: 'wrong', advice: expect.stringContaining('ALTER ROLE') as string }]);
    await openLedger(database).createRain(newRain('r', 100n), 'ann').catch(() => {});
    await expect(openLedger(database).rain('r')).rejects.toThrow('DateStyle');
  }));

  test('a connection by which times lose their offset, where that matters', () => within(["timezone = 'Europe/London'"], async (_, url) => {
    const database = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 1 }) });
    try {
      await expect(untilAnswers(database, url)).rejects.toThrow(/TimeZone Europe\/London .*: it took times that we sent as other ones/);
      await database.$executeRaw`SET TIME ZONE 'UTC'`;
      await untilAnswers(database, url);
    } finally {
      await database.$disconnect();
    }
  }));
});

test.skipIf(!postgresInstalled)('times that an older version has stored wrong are named by the doctor, and set to those recorded', () => (
  within(["timezone = 'Asia/Shanghai'"], async (database, url) => {
    const former = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 1 }) });
    const [then, ledger] = [openLedger(former), openLedger(database)];
    const asked = { opensAt: FIRST_WIN + 3_600_000, closesAt: FIRST_WIN + 7_200_000 };
    for (const id of ['moved', 'settled', 'waiting']) await then.createRain(newRain(id, 100n), 'ann');
    await then.createSale(newSale('sale'), 'ann');
    await then.reschedule('moved', asked, { actor: 'ann', verb: 'schedule' });
    await then.settle('settled');
    await former.$disconnect();
    await ledger.createRain(newRain('new', 100n), 'ann');
    expect((await ledger.rain('moved'))!.opensAt).toBe(asked.opensAt - 8 * 3_600_000);
    expect(await examineWindows({ ledger })).toEqual([{
      subject: 'database', name: 'windows', verdict: 'wrong', found: 'others than recorded: moved, sale, waiting',
      expected: 'the times that were recorded for each rain and sale', advice: expect.stringContaining('windows.sql') as string,
    }]);

    const mend = readFileSync(new URL('../../deploy/postgresql/windows.sql', import.meta.url), 'utf8');
    for (const _ of ['once', 'again']) await execute(url, mend);
    expect(await examineWindows({ ledger })).toMatchObject([{ verdict: 'ok', found: 'as recorded' }]);
    expect(await ledger.rain('moved')).toMatchObject(asked);
    for (const id of ['settled', 'waiting', 'new']) expect(await ledger.rain(id)).toMatchObject({ opensAt: FIRST_WIN });
    const { opensAt, closesAt } = newSale('sale');
    expect(await ledger.sale('sale')).toMatchObject({ opensAt, closesAt });
  })
));
