import { record } from './actions.ts';
import type { Database } from './database.ts';
import { Prisma } from './generated/client.ts';

/** Winners of rains that are settled: `id` is a rain, or a campaign with all its rounds. */
interface FormerWinners {
  id: string;
  rainIds: readonly string[];
}

/** Excludes the users who were credited in these rains. @returns how many were not excluded before */
export function excludeWinners(
  database: Database,
  campaignId: string,
  { id, rainIds }: FormerWinners,
  actor: string,
): Promise<number> {
  const winners = Prisma.sql`SELECT "userId" FROM "Transfer" WHERE "rainId" = ANY (${[...rainIds]}::text[]) AND "kind" = 'credit'`;
  return excludeFormer(database, campaignId, { id, users: winners, details: { winnersOf: id } }, actor);
}

/** Buyers in sales that are settled: `id` is a sale, or a campaign with all its sales. */
interface FormerBuyers {
  id: string;
  saleIds: readonly string[];
}

/** Excludes the users whose orders in these sales are paid. @returns how many were not excluded before */
export function excludeBuyers(
  database: Database,
  campaignId: string,
  { id, saleIds }: FormerBuyers,
  actor: string,
): Promise<number> {
  const buyers = Prisma.sql`SELECT "userId" FROM "SaleOrder" WHERE "saleId" = ANY (${[...saleIds]}::text[]) AND "status" = 'paid'`;
  return excludeFormer(database, campaignId, { id, users: buyers, details: { buyersOf: id } }, actor);
}

/** An erased user is nobody. @param former `users` selects their `userId`; `id` is where they are from */
function excludeFormer(
  database: Database,
  campaignId: string,
  { id, users, details }: { id: string; users: Prisma.Sql; details: object },
  actor: string,
): Promise<number> {
  return database.$transaction(async (transaction) => {
    const added = await transaction.$executeRaw`
      INSERT INTO "CampaignExclusion" ("campaignId", "userId", "source")
      SELECT DISTINCT ${campaignId}, "userId", ${id} FROM (${users}) AS former WHERE "userId" !~ '^erased-[0-9a-f]{32}$'
      ON CONFLICT DO NOTHING`;
    if (added > 0)
      await record(transaction, { actor, verb: 'exclude', details: { campaignId, ...details, excluded: added } });
    return added;
  });
}

/** Excludes these users, each named once. @returns how many were not excluded before */
export function exclude(
  database: Database,
  campaignId: string,
  userIds: readonly string[],
  actor: string,
): Promise<number> {
  return database.$transaction(async (transaction) => {
    const added = await transaction.$executeRaw`
      INSERT INTO "CampaignExclusion" ("campaignId", "userId") SELECT ${campaignId}, unnest(${[...userIds]}::text[]) ON CONFLICT DO NOTHING`;
    if (added > 0) await record(transaction, { actor, verb: 'exclude', details: { campaignId, excluded: added } });
    return added;
  });
}

/** How many of these users, each named once, are not excluded. */
export async function countNotExcluded(
  database: Database,
  campaignId: string,
  userIds: readonly string[],
): Promise<number> {
  const excluded = await database.campaignExclusion.count({ where: { campaignId, userId: { in: [...userIds] } } });
  return userIds.length - excluded;
}

/** Takes all exclusions of a campaign back. @returns how many there were */
export function readmit(database: Database, campaignId: string, actor: string): Promise<number> {
  return database.$transaction(async (transaction) => {
    const { count } = await transaction.campaignExclusion.deleteMany({ where: { campaignId } });
    if (count > 0) await record(transaction, { actor, verb: 'readmit', details: { campaignId, readmitted: count } });
    return count;
  });
}

/** A page of the users who are excluded, in the order of their ids. @param after the last user of the page before */
export async function exclusions(
  database: Database,
  campaignId: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await database.campaignExclusion.findMany({
    where: { campaignId, ...(after !== undefined && { userId: { gt: after } }) },
    orderBy: { userId: 'asc' },
    take: limit,
    select: { userId: true },
  });
  return rows.map(({ userId }) => userId);
}

/** Which of these users are excluded. */
export async function exclusionsAmong(
  database: Database,
  campaignId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  const rows = await database.$queryRaw<
    { userId: string }[]
  >`SELECT "userId" FROM "CampaignExclusion" WHERE "campaignId" = ${campaignId} AND "userId" = ANY (${[...userIds]}::text[])`;
  return new Set(rows.map(({ userId }) => userId));
}

export function countExclusions(database: Database, campaignId: string): Promise<number> {
  return database.campaignExclusion.count({ where: { campaignId } });
}

/** The campaigns that this user is excluded from. */
export async function excludedFrom(database: Database, userId: string): Promise<string[]> {
  const rows = await database.campaignExclusion.findMany({
    where: { userId },
    orderBy: { campaignId: 'asc' },
    select: { campaignId: true },
  });
  return rows.map(({ campaignId }) => campaignId);
}

/**
 * Credits in the rounds of a campaign to users who are excluded from it: they had won before, or Redis did not know.
 */
export async function excludedCredits(database: Database, campaignId: string): Promise<number> {
  const [row] = await database.$queryRaw<{ credits: bigint }[]>`
    SELECT count(*) AS "credits" FROM "CampaignExclusion" AS named JOIN "Rain" ON "Rain"."campaignId" = named."campaignId"
    JOIN "Transfer" ON "Transfer"."rainId" = "Rain"."id" AND "Transfer"."userId" = named."userId" AND "Transfer"."kind" = 'credit'
    WHERE named."campaignId" = ${campaignId}`;
  return Number(row!.credits);
}

/** Campaigns that exclude somebody of these numbers on the list of participants. */
export async function campaignsExcluding(database: Database, numbers: readonly string[]): Promise<string[]> {
  const rows = await database.$queryRaw<{ campaignId: string }[]>`
    SELECT DISTINCT "campaignId" FROM "CampaignExclusion" JOIN "Participant" USING ("userId") WHERE "number" = ANY (${[...numbers]}::text[]) ORDER BY 1`;
  return rows.map(({ campaignId }) => campaignId);
}
