import { isDeepStrictEqual } from 'node:util';
import { record } from './actions.ts';
import type { Database } from './database.ts';
import type { Units } from '../sale/units.ts';
import { Prisma, type Campaign } from './generated/client.ts';
import { rains, type BookedRain } from './rains.ts';

/**
 * Rains that share one count of wins per user, see rain/campaign.ts. `winsPerUserMax`: how many rounds a user may win;
 * `rollOver`: the unclaimed money of a round goes into the next one. All rounds have the same shards.
 */
type NewCampaign = Omit<Campaign, 'createdAt'>;

/** `createdAt`: epoch ms. */
export type BookedCampaign = NewCampaign & { createdAt: number };

type CampaignCreation =
  /** `exists`: the same campaign was created before; nothing was done again. */
  | { outcome: 'created' | 'exists' }
  /** Another campaign has this id; nothing was done. */
  | { outcome: 'differs'; fields: (keyof NewCampaign)[] };

/** Creates a campaign. No money moves: each round brings its own budget. A campaign never changes. */
export function createCampaign(database: Database, requested: NewCampaign, actor: string): Promise<CampaignCreation> {
  return database.$transaction(async (transaction) => {
    const { count } = await transaction.campaign.createMany({ data: requested, skipDuplicates: true });
    if (count === 1) {
      await record(transaction, { actor, verb: 'create-campaign', details: { ...requested } });
      return { outcome: 'created' };
    }
    const existing = await transaction.campaign.findUniqueOrThrow({ where: { id: requested.id } });
    const fields = (Object.keys(requested) as (keyof NewCampaign)[]).filter(
      (field) => !isDeepStrictEqual(requested[field], existing[field]),
    );
    return fields.length === 0 ? { outcome: 'exists' } : { outcome: 'differs', fields };
  });
}

export async function campaign(database: Database, id: string): Promise<BookedCampaign | undefined> {
  const row = await database.campaign.findUnique({ where: { id } });
  return row ? toBooked(row) : undefined;
}

/** Newest first. */
export async function campaigns(database: Database, limit = 100): Promise<BookedCampaign[]> {
  const rows = await database.campaign.findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], take: limit });
  return rows.map(toBooked);
}

function toBooked({ createdAt, ...plain }: Campaign): BookedCampaign {
  return { ...plain, createdAt: createdAt.getTime() };
}

/** The rounds of a campaign in order of their numbers. */
export async function rounds(database: Database, campaignId: string): Promise<BookedRain[]> {
  const found = await rains(database, 1_000, { campaignId });
  return found.toSorted((a, b) => a.campaign!.round - b.campaign!.round);
}

/** How many rounds a campaign has, rains and sales. */
export async function countRounds(database: Database, campaignId: string): Promise<number> {
  const where = { campaignId };
  const [rainCount, saleCount] = await Promise.all([database.rain.count({ where }), database.sale.count({ where })]);
  return rainCount + saleCount;
}

export interface CampaignWinners {
  users: number;
  /** Packets credited in all rounds. */
  wins: number;
  /**
   * Users with more credits than allowed: possible after a failover that lost wins, see docs/explanation/durability.md.
   */
  beyond: number;
}

export async function campaignWinners(
  database: Database,
  { id, winsPerUserMax }: Pick<BookedCampaign, 'id' | 'winsPerUserMax'>,
): Promise<CampaignWinners> {
  const [row] = await database.$queryRaw<{ users: bigint; wins: bigint; beyond: bigint }[]>`
    SELECT count(*) AS "users", coalesce(sum("wins"), 0)::bigint AS "wins", count(*) FILTER (WHERE "wins" > ${winsPerUserMax}) AS "beyond"
    FROM (SELECT count(*) AS "wins" FROM "Transfer" JOIN "Rain" ON "Rain"."id" = "Transfer"."rainId"
      WHERE "Rain"."campaignId" = ${id} AND "Transfer"."kind" = 'credit' GROUP BY "Transfer"."userId") AS winners`;
  return { users: Number(row!.users), wins: Number(row!.wins), beyond: Number(row!.beyond) };
}

export interface CampaignBuyers {
  users: number;
  /** Units in orders that wait for their payment or are paid, in all sales. */
  units: number;
  /** Users who hold more units than allowed. */
  beyond: number;
}

export async function campaignBuyers(
  database: Database,
  { id, winsPerUserMax }: Pick<BookedCampaign, 'id' | 'winsPerUserMax'>,
): Promise<CampaignBuyers> {
  const [row] = await database.$queryRaw<{ users: bigint; units: bigint; beyond: bigint }[]>`
    SELECT count(*) AS "users", coalesce(sum("units"), 0)::bigint AS "units", count(*) FILTER (WHERE "units" > ${winsPerUserMax}) AS "beyond"
    FROM (SELECT sum("quantity") AS "units" FROM "SaleOrder" JOIN "Sale" ON "Sale"."id" = "SaleOrder"."saleId"
      WHERE "Sale"."campaignId" = ${id} AND "SaleOrder"."status" IN ('created', 'paid') GROUP BY "SaleOrder"."userId") AS buyers`;
  return { users: Number(row!.users), units: Number(row!.units), beyond: Number(row!.beyond) };
}

/**
 * Units that users hold in these sales, in orders that wait for their payment or are paid; who holds none is not in the
 * map.
 * @param which these users, or a page of all in the order of their ids, after this one
 */
export async function unitsHeld(
  database: Database,
  saleIds: readonly string[],
  which: { users: readonly string[] } | { after: string | undefined },
  limit = 1_000,
): Promise<Map<string, Units>> {
  if (saleIds.length === 0) return new Map();
  const users =
    'users' in which
      ? Prisma.sql`"userId" = ANY (${[...which.users]}::text[])`
      : Prisma.sql`"userId" > ${which.after ?? ''}`;
  const rows = await database.$queryRaw<{ userId: string; units: bigint }[]>`
    SELECT "userId", sum("quantity")::bigint AS "units" FROM "SaleOrder" WHERE "saleId" = ANY (${[...saleIds]}::text[]) AND "status" IN ('created', 'paid') AND ${users}
    GROUP BY 1 ORDER BY 1 LIMIT ${limit}`;
  return new Map(rows.map(({ userId, units }) => [userId, Number(units)]));
}
