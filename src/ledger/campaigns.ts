import { isDeepStrictEqual } from 'node:util';
import { record } from './actions.ts';
import type { Database } from './database.ts';
import { rains, type BookedRain } from './rains.ts';

/** Rains that share one count of wins per user, see rain/campaign.ts. */
interface NewCampaign {
  id: string;
  title: string;
  /** How many rounds a user may win. */
  winsPerUserMax: number;
  /** The same for every round. */
  shards: number;
  /** The unclaimed money of a round goes into the next one. */
  rollOver: boolean;
}

export interface BookedCampaign extends NewCampaign {
  /** Epoch ms. */
  createdAt: number;
}

type CampaignCreation =
  | { outcome: 'created' }
  /** The same campaign was created before; nothing was done again. */
  | { outcome: 'exists' }
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
    const fields = (Object.keys(requested) as (keyof NewCampaign)[]).filter((field) => !isDeepStrictEqual(requested[field], existing[field]));
    return fields.length === 0 ? { outcome: 'exists' } : { outcome: 'differs', fields };
  });
}

export async function campaign(database: Database, id: string): Promise<BookedCampaign | undefined> {
  const row = await database.campaign.findUnique({ where: { id } });
  return row ? { ...row, createdAt: row.createdAt.getTime() } : undefined;
}

/** Newest first. */
export async function campaigns(database: Database, limit = 100): Promise<BookedCampaign[]> {
  const rows = await database.campaign.findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], take: limit });
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.getTime() }));
}

/** The rounds of a campaign in order of their numbers. */
export async function rounds(database: Database, campaignId: string): Promise<BookedRain[]> {
  const found = await rains(database, 1_000, { campaignId });
  return found.toSorted((a, b) => a.campaign!.round - b.campaign!.round);
}

/** The winners of a campaign, from the ledger. */
export interface CampaignWinners {
  users: number;
  /** Packets credited in all rounds. */
  wins: number;
  /** Users with more credits than allowed: possible after a failover that lost wins, see docs/explanation/durability.md. */
  beyond: number;
}

export async function campaignWinners(database: Database, { id, winsPerUserMax }: Pick<BookedCampaign, 'id' | 'winsPerUserMax'>): Promise<CampaignWinners> {
  const [row] = await database.$queryRaw<{ users: bigint; wins: bigint; beyond: bigint }[]>`
    SELECT count(*) AS "users", coalesce(sum("wins"), 0)::bigint AS "wins", count(*) FILTER (WHERE "wins" > ${winsPerUserMax}) AS "beyond"
    FROM (SELECT count(*) AS "wins" FROM "Transfer" JOIN "Rain" ON "Rain"."id" = "Transfer"."rainId"
      WHERE "Rain"."campaignId" = ${id} AND "Transfer"."kind" = 'credit' GROUP BY "Transfer"."userId") AS winners`;
  return { users: Number(row!.users), wins: Number(row!.wins), beyond: Number(row!.beyond) };
}
