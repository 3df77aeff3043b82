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
const ZONES = [
  'Asia/Shanghai',
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Kiritimati',
  'UTC',
];

/** Around the changes of clocks in those zones: hours that a clock on the wall skips or shows twice. */
const MOMENTS = [
  '2027-03-14T01:30:00.000Z',
  '2027-03-14T02:30:00.123Z',
  '2027-03-14T07:00:00.000Z',
  '2027-11-07T01:30:00.000Z',
  '2027-11-07T05:30:00.001Z',
  '2027-11-07T06:30:00.999Z',
  '2027-03-28T02:30:00.000Z',
  '2027-03-28T01:00:00.000Z',
  '2027-10-31T00:30:00.000Z',
  '2027-10-31T01:30:00.000Z',
  '2027-10-31T02:30:00.000Z',
  '2027-10-02T15:30:00.000Z',
  '2026-11-28T09:38:21.000Z',
  '2028-02-29T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '9999-12-31T00:00:00.000Z',
].map((text) => new Date(text));

const HOUR_MS = 3_600_000;

type Work = (database: Database, url: string) => Promise<void>;

async function within(settings: readonly string[], work: Work): Promise<void> {
  const { url, stop } = await startDatabase();
  const name = new URL(url).pathname.slice(1);
  for (const setting of settings) await execute(url, `ALTER DATABASE ${name} SET ${setting}`);
  const database = connectDatabase(url);
  try {
    await work(database, url);
  } finally {
    await database.$disconnect();
    await stop();
  }
}

const rowsOf = (moments: readonly Date[]) =>
  moments.map((excludedAt, i) => ({ campaignId: 'c', userId: String(i).padStart(2, '0'), source: null, excludedAt }));

async function timesFinding(url: string) {
  return checkDatabase(await examineDatabase(url)).find(({ name }) => name === 'times');
}

describe.skipIf(!postgresInstalled).each(ZONES)('in a database whose time zone is %s', (zone) => {
  const inZone = (work: Work) => () => within([`timezone = '${zone}'`], work);

  test(
    'a time is the same for SQL and for models, around a change of clocks too',
    inZone(async (database) => {
      expect(await database.$queryRaw`SELECT current_setting('TimeZone') AS zone`).toEqual([{ zone }]);
      const rows = rowsOf(MOMENTS);
      await database.campaign.create({ data: { id: 'c', title: 'c', winsPerUserMax: 1 } });
      await database.campaignExclusion.createMany({ data: rows.slice(0, 8) });
      await database.$transaction(async (transaction) => {
        await transaction.campaignExclusion.createMany({ data: rows.slice(8) });
        expect(await transaction.campaignExclusion.findMany({ orderBy: { userId: 'asc' } })).toEqual(rows);
      });
      expect(await database.campaignExclusion.findMany({ orderBy: { userId: 'asc' } })).toEqual(rows);
      const stored = await database.$queryRaw<{ at: Date; ms: number }[]>`
      SELECT "excludedAt" AS at, (extract(epoch FROM "excludedAt") * 1000)::float8 AS ms
      FROM "CampaignExclusion" ORDER BY "userId"`;
      expect(stored).toEqual(MOMENTS.map((at) => ({ at, ms: at.getTime() })));
      for (const { userId, excludedAt } of rows) {
        expect(await database.campaignExclusion.findMany({ where: { excludedAt } })).toMatchObject([{ userId }]);
        const found = await database.$queryRaw`
        SELECT "userId" FROM "CampaignExclusion" WHERE "excludedAt" = ${excludedAt}::timestamptz`;
        expect(found).toEqual([{ userId }]);
      }
      expect(await database.campaignExclusion.count({ where: { excludedAt: { in: MOMENTS } } })).toBe(MOMENTS.length);
      const lists = await database.$queryRaw`SELECT ${MOMENTS}::timestamptz[] AS ats, NULL::timestamptz AS nothing`;
      expect(lists).toEqual([{ ats: MOMENTS, nothing: null }]);
      // Text of a user stays text.
      const title = '2027-03-14 02:30:00';
      const named = await database.campaign.create({ data: { id: 'text', title, winsPerUserMax: 1 } });
      expect(named).toMatchObject({ title });
    }),
  );

  test(
    'a rain has the times asked for, also on new connections',
    inZone(async (database, url) => {
      const ledger = openLedger(database);
      const now = Date.now();
      const asked = { opensAt: FIRST_WIN, closesAt: FIRST_WIN + 60_000 };
      const moved = { opensAt: FIRST_WIN + 1, closesAt: FIRST_WIN + 60_001 };
      await ledger.createRain(newRain('r', 100n, asked), 'ann');
      expect(await ledger.reschedule('r', moved, { actor: 'ann', verb: 'schedule' }, asked)).toBe(true);
      expect(await ledger.overdue(moved.closesAt - 1)).toEqual([]);
      expect(await ledger.overdue(moved.closesAt)).toMatchObject([{ id: 'r' }]);
      await execute(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      const settledAt = await eventually(async () => {
        await ledger.seal('r');
        return ledger.settle('r');
      });
      const rain = (await ledger.rain('r'))!;
      expect(rain).toMatchObject({ ...moved, settledAt });
      const actedAt = (await ledger.actions('r'))[0]!.at;
      const { createdAt, sealedAt } = rain;
      for (const at of [createdAt, sealedAt!, settledAt, actedAt]) expect(Math.abs(at - now)).toBeLessThan(60_000);
      const [row] = await database.$queryRaw<[{ age: number }]>`
      SELECT abs(extract(epoch FROM now() - "createdAt"))::float8 AS age FROM "Rain"`;
      expect(row.age).toBeLessThan(60);
      const found = `the same here and there, in sessions of TimeZone ${zone}`;
      expect(await timesFinding(url)).toMatchObject({ verdict: 'ok', found });
      await untilAnswers(database, url);
    }),
  );
});

test.skipIf(!postgresInstalled)('a session whose time zone changes between statements changes no time', () =>
  within([], async (database) => {
    await database.campaign.create({ data: { id: 'c', title: 'c', winsPerUserMax: 1 } });
    for (const row of rowsOf(MOMENTS)) {
      await database.$transaction(async (transaction) => {
        await transaction.$executeRaw`SET LOCAL TIME ZONE 'America/New_York'`;
        await transaction.campaignExclusion.create({ data: row });
        await transaction.$executeRaw`SET LOCAL TIME ZONE 'Asia/Kathmandu'`;
        const { userId, excludedAt } = row;
        expect(await transaction.campaignExclusion.findMany({ where: { userId, excludedAt } })).toEqual([row]);
      });
    }
    expect(await database.campaignExclusion.findMany({ orderBy: { userId: 'asc' } })).toEqual(rowsOf(MOMENTS));
  }),
);

const OWN_ZONE = process.env['TZ'];
test.skipIf(!postgresInstalled || OWN_ZONE === undefined)('databases of this run have the time zone of TZ', () =>
  within([], async (database) => {
    expect(await database.$queryRaw`SELECT current_setting('TimeZone') AS zone`).toEqual([{ zone: OWN_ZONE }]);
  }),
);

describe.skipIf(!postgresInstalled)('refused before anything is done, with the setting and what to do', () => {
  const settings = ["datestyle = 'SQL, DMY'", "timezone = 'Europe/Berlin'"];
  test('a database that writes times in a way we cannot read', () =>
    within(settings, async (database, url) => {
      const name = new URL(url).pathname.slice(1);
      const starting = untilAnswers(database, url).then(() => '', String);
      expect(await starting).toContain(`database_times: the database ${name} changes times`);
      expect(await starting).toContain('with TimeZone Europe/Berlin and DateStyle SQL, DMY');
      expect(await starting).toContain(
        `nothing was done. Run ALTER ROLE "postgres" IN DATABASE "${name}" SET datestyle`,
      );
      const finding = await timesFinding(url);
      expect(finding).toMatchObject({ verdict: 'wrong', advice: expect.stringContaining('ALTER ROLE') as string });
      // No time of it is guessed either.
      await openLedger(database)
        .createRain(newRain('r', 100n), 'ann')
        .catch(() => {});
      await expect(openLedger(database).rain('r')).rejects.toThrow('DateStyle');
    }));

  const summer = ["timezone = 'Europe/London'"];
  test('a connection by which times lose their offset, where that matters', () =>
    within(summer, async (_, url) => {
      const database = new PrismaClient({
        adapter: new PrismaPg({ connectionString: url, max: 1, statement_timeout: 15_000 }),
      });
      try {
        const refusal = /TimeZone Europe\/London .*: it took times that we sent as other/;
        await expect(untilAnswers(database, url)).rejects.toThrow(refusal);
        await database.$executeRaw`SET TIME ZONE 'UTC'`;
        await untilAnswers(database, url);
      } finally {
        await database.$disconnect();
      }
    }));
});

test.skipIf(!postgresInstalled)('the doctor names times stored wrong by an older version; a script mends them', () =>
  within(["timezone = 'Asia/Shanghai'"], async (database, url) => {
    const former = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 1 }) });
    const [then, ledger] = [openLedger(former), openLedger(database)];
    const asked = { opensAt: FIRST_WIN + HOUR_MS, closesAt: FIRST_WIN + 2 * HOUR_MS };
    for (const id of ['moved', 'settled', 'waiting']) await then.createRain(newRain(id, 100n), 'ann');
    await then.createSale(newSale('sale'), 'ann');
    await then.reschedule('moved', asked, { actor: 'ann', verb: 'schedule' });
    await then.settle('settled');
    await former.$disconnect();
    await ledger.createRain(newRain('new', 100n), 'ann');
    expect((await ledger.rain('moved'))!.opensAt).toBe(asked.opensAt - 8 * HOUR_MS);
    const [finding] = await examineWindows({ ledger });
    expect(finding).toMatchObject({ verdict: 'wrong', found: 'others than recorded: moved, sale, waiting' });
    expect(finding!.advice).toContain('windows.sql');

    const mend = readFileSync(new URL('../../deploy/postgresql/windows.sql', import.meta.url), 'utf8');
    for (const _ of ['once', 'again']) await execute(url, mend);
    expect(await examineWindows({ ledger })).toMatchObject([{ verdict: 'ok', found: 'as recorded' }]);
    expect(await ledger.rain('moved')).toMatchObject(asked);
    for (const id of ['settled', 'waiting', 'new']) {
      expect(await ledger.rain(id)).toMatchObject({ opensAt: FIRST_WIN, closesAt: FIRST_WIN + 60_000 });
    }
    const { opensAt, closesAt } = newSale('sale');
    expect(await ledger.sale('sale')).toMatchObject({ opensAt, closesAt });
  }),
);
