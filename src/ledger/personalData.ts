import { randomBytes } from 'node:crypto';
import type { Cents } from '../rain/money.ts';
import { userAccount } from './accounts.ts';
import { record } from './actions.ts';
import type { Database, Transaction } from './database.ts';
import { Prisma } from './generated/client.ts';
import { refusalOf } from './refusal.ts';

/** Rows of one kind in an export [R10]. */
const ROWS_MAX = 10_000;
/** SQLSTATE of the migration `erasure`: something of the user is not over. */
const NOT_OVER = /^not over: (.*)$/s;

/** All that the ledger has of a user. Times are as the database has them, amounts in cents. */
interface PersonalRows extends Record<
  'credits' | 'reservations' | 'orders' | 'refusals' | 'participants' | 'exclusions' | 'actions',
  readonly unknown[]
> {
  balanceCents: Cents;
  /** False: there are more rows of one kind than an export has. */
  complete: boolean;
}

type Erasing =
  | { outcome: 'erased'; pseudonym: string; rows: number }
  /** The ledger has nothing of this user. */
  | { outcome: 'unknown' }
  /** A rain or sale that the user takes part in, or a campaign, is not over. */
  | { outcome: 'not_over'; part: string };

/**
 * Everything of one moment: what is credited meanwhile is in all of it or in none. The action is recorded first, so
 * that nobody reads without a record.
 */
export async function personalRows(database: Database, userId: string, actor: string): Promise<PersonalRows> {
  await record(database, { actor, verb: 'export-user', details: { userId } });
  const accounts = [userAccount(userId), `shadow:${userAccount(userId)}`];
  return database.$transaction(
    async (transaction) => {
      const take = ROWS_MAX;
      const credits = await transaction.transfer.findMany({
        where: { creditAccountId: { in: accounts } },
        orderBy: { postedAt: 'asc' },
        take,
        select: { rainId: true, redPacketId: true, amountCents: true, postedAt: true, creditAccountId: true },
      });
      const reservations = await transaction.reservation.findMany({
        where: { userId },
        orderBy: { reservedAt: 'asc' },
        take,
      });
      const orders = await transaction.saleOrder.findMany({ where: { userId }, orderBy: { reservedAt: 'asc' }, take });
      const refusals = await transaction.saleRefusal.findMany({ where: { userId }, orderBy: { at: 'asc' }, take });
      const participants = await transaction.participant.findMany({
        where: { userId },
        take,
        omit: { codeKey: true, codeSalt: true },
      });
      const exclusions = await transaction.campaignExclusion.findMany({
        where: { userId },
        orderBy: { excludedAt: 'asc' },
        take,
      });
      const actions = await actionsAbout(transaction, userId);
      const account = await transaction.account.findUnique({
        where: { id: accounts[0]! },
        select: { balanceCents: true },
      });
      const all = [credits, reservations, orders, refusals, exclusions, actions];
      return {
        balanceCents: account?.balanceCents ?? 0n,
        credits,
        reservations,
        orders,
        refusals,
        participants,
        exclusions,
        actions,
        complete: all.every(({ length }) => length < ROWS_MAX),
      };
    },
    { isolationLevel: 'RepeatableRead' },
  );
}

/** Actions of operators that name the user: blocks, cancelled and refunded orders, exports. */
function actionsAbout(transaction: Transaction, userId: string): Promise<unknown[]> {
  return transaction.operatorAction.findMany({
    where: {
      OR: [
        { details: { path: ['userId'], equals: userId } },
        { AND: [{ details: { path: ['kind'], equals: 'user' } }, { details: { path: ['who'], equals: userId } }] },
      ],
    },
    orderBy: { id: 'asc' },
    take: ROWS_MAX,
    select: { actor: true, verb: true, rainId: true, details: true, at: true },
  });
}

/**
 * Replaces the user's id by a pseudonym of chance, in all tables at once; see the migration `erasure`. The record names
 * the pseudonym only. Safe to repeat: then the ledger knows nobody of this id.
 */
export async function eraseUser(database: Database, userId: string, actor: string): Promise<Erasing> {
  const pseudonym = `erased-${randomBytes(16).toString('hex')}`;
  try {
    return await database.$transaction(async (transaction): Promise<Erasing> => {
      const [erased] = await transaction.$queryRaw<
        { rows: number }[]
      >`INSERT INTO "Erasure" ("pseudonym", "userId") VALUES (${pseudonym}, ${userId}) RETURNING "rows"`;
      if (!erased) return { outcome: 'unknown' };
      await record(transaction, { actor, verb: 'erase-user', details: { pseudonym, rows: erased.rows } });
      return { outcome: 'erased', pseudonym, rows: erased.rows };
    });
  } catch (error) {
    const part = NOT_OVER.exec(refusalOf(error)?.message ?? '')?.[1];
    if (part === undefined) throw error;
    return { outcome: 'not_over', part };
  }
}

/** Where the ids of users are found, in the order of an index: what it is about (a rain, a sale, …), then the user. */
const KNOWN: readonly ((after: readonly [about: string, userId: string], limit: number) => Prisma.Sql)[] = [
  ([, after], limit) =>
    Prisma.sql`SELECT '' AS "about", substr("id", 6) AS "userId" FROM "Account" WHERE "id" > ${`user:${after}`} AND "id" LIKE 'user:%' ORDER BY "id" LIMIT ${limit}`,
  ([about, after], limit) =>
    Prisma.sql`SELECT "saleId" AS "about", "userId" FROM "SaleOrder" WHERE ("saleId", "userId") > (${about}, ${after}) ORDER BY "saleId", "userId" LIMIT ${limit}`,
  ([about, after], limit) =>
    Prisma.sql`SELECT "rainId" AS "about", "userId" FROM "Reservation" WHERE "userId" IS NOT NULL AND ("rainId", "userId") > (${about}, ${after}) ORDER BY "rainId", "userId" LIMIT ${limit}`,
  ([about, after], limit) =>
    Prisma.sql`SELECT "reservationId" AS "about", "userId" FROM "SaleRefusal" WHERE ("reservationId", "userId") > (${about}, ${after}) ORDER BY "reservationId", "userId" LIMIT ${limit}`,
  ([, after], limit) =>
    Prisma.sql`SELECT '' AS "about", "userId" FROM "Participant" WHERE "userId" > ${after} ORDER BY "userId" LIMIT ${limit}`,
  ([about, after], limit) =>
    Prisma.sql`SELECT "campaignId" AS "about", "userId" FROM "CampaignExclusion" WHERE ("campaignId", "userId") > (${about}, ${after}) ORDER BY "campaignId", "userId" LIMIT ${limit}`,
];

/** How far a pass over all users has come. */
interface Place {
  table: number;
  after: readonly [about: string, userId: string];
}

/**
 * Users of whom nothing was written since a time, and of whom nothing is open, page by page.
 * @param place the `next` of the previous page: a page is of all users, so it may hold nobody who is due; absent
 *   after the last
 */
export async function inactiveUsers(
  database: Database,
  {
    before,
    place: { table, after } = { table: 0, after: ['', ''] },
    limit,
  }: { before: number; place?: Place | undefined; limit: number },
): Promise<{ users: string[]; next?: Place }> {
  const since = new Date(before);
  const page = await database.$queryRaw<{ about: string; userId: string; due: boolean }[]>`
    SELECT known."about", known."userId", known."userId" !~ '^erased-[0-9a-f]{32}$' AND takes_part_in(known."userId") IS NULL
      AND NOT EXISTS (SELECT FROM "Transfer" WHERE "creditAccountId" IN ('user:' || known."userId", 'shadow:user:' || known."userId") AND "postedAt" >= ${since})
      AND NOT EXISTS (SELECT FROM "Rain" JOIN "Reservation" AS kept ON kept."rainId" = "Rain"."id" AND kept."userId" = known."userId" WHERE kept."reservedAt" >= ${since})
      AND NOT EXISTS (SELECT FROM "Sale" JOIN "SaleOrder" AS ordered ON ordered."saleId" = "Sale"."id" AND ordered."userId" = known."userId" WHERE ordered."changedAt" >= ${since})
      AND NOT EXISTS (SELECT FROM "SaleRefusal" WHERE "SaleRefusal"."userId" = known."userId" AND "at" >= ${since})
      AND NOT EXISTS (SELECT FROM "Participant" WHERE "Participant"."userId" = known."userId" AND ("removedAt" IS NULL OR "removedAt" >= ${since}))
      AND NOT EXISTS (SELECT FROM "CampaignExclusion" WHERE "CampaignExclusion"."userId" = known."userId" AND "excludedAt" >= ${since}) AS "due"
    FROM (${KNOWN[table]!(after, limit)}) AS known`;
  const last = page.at(-1);
  const next =
    last && page.length === limit
      ? { table, after: [last.about, last.userId] as const }
      : { table: table + 1, after: ['', ''] as const };
  return {
    users: [...new Set(page.filter(({ due }) => due).map(({ userId }) => userId))],
    ...(next.table < KNOWN.length && { next }),
  };
}
