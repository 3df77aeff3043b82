import type { BookedCampaign, CampaignBuyers, CampaignWinners } from '../../ledger/campaigns.ts';
import type { OperatorContext } from '../context.ts';
import { viewRains, type RainView } from '../list.ts';
import { salesOfCampaign, type SaleView } from '../sale/show.ts';

/** A campaign at a glance. */
export interface CampaignView extends Omit<BookedCampaign, 'id' | 'createdAt'> {
  campaignId: string;
  createdAt: string;
  /** Rains and sales. */
  rounds: number;
}

export interface CampaignDetail extends Omit<CampaignView, 'rounds'> {
  /** In order of their numbers. */
  rounds: RainView[];
  /** From the ledger: claims on their way are not included. */
  winners: CampaignWinners;
  /** `credits`: packets that such users were credited with all the same: they had won before, or Redis had lost it. */
  excluded: { users: number; credits: number };
}

export const CAMPAIGNS_MAX = 1_000;

/** The newest campaigns, at most `limit`. */
export async function listCampaigns({ ledger }: OperatorContext, limit = 100): Promise<CampaignView[]> {
  const campaigns = await ledger.campaigns(Math.min(limit, CAMPAIGNS_MAX));
  return Promise.all(
    campaigns.map(async ({ id, createdAt, ...plain }) => ({
      campaignId: id,
      ...plain,
      createdAt: new Date(createdAt).toISOString(),
      rounds: await ledger.countRounds(id),
    })),
  );
}

export async function showCampaign(context: OperatorContext, campaignId: string): Promise<CampaignDetail | undefined> {
  const campaign = await context.ledger.campaign(campaignId);
  if (!campaign) return undefined;
  const { ledger } = context;
  const [rounds, winners, users, credits] = await Promise.all([
    ledger.rounds(campaignId),
    ledger.campaignWinners(campaign),
    ledger.countExclusions(campaignId),
    ledger.excludedCredits(campaignId),
  ]);
  const { id, createdAt, ...plain } = campaign;
  return {
    campaignId: id,
    ...plain,
    createdAt: new Date(createdAt).toISOString(),
    rounds: await viewRains(context, rounds),
    winners,
    excluded: { users, credits },
  };
}

export interface CampaignSales {
  /** In order of their numbers. */
  sales: SaleView[];
  /** From the ledger: reservations on their way are not included. */
  buyers: CampaignBuyers;
}

/** The rounds of a campaign that are sales. */
export async function showCampaignSales(
  context: OperatorContext,
  { campaignId, winsPerUserMax }: Pick<CampaignView, 'campaignId' | 'winsPerUserMax'>,
): Promise<CampaignSales> {
  return {
    sales: await salesOfCampaign(context, campaignId),
    buyers: await context.ledger.campaignBuyers({ id: campaignId, winsPerUserMax }),
  };
}
