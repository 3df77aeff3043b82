import type { BookedCampaign, CampaignWinners } from '../../ledger/campaigns.ts';
import type { OperatorContext } from '../context.ts';
import { viewRains, type RainView } from '../list.ts';

/** A campaign at a glance. */
export interface CampaignView extends Omit<BookedCampaign, 'id' | 'createdAt'> {
  campaignId: string;
  createdAt: string;
  rounds: number;
}

export interface CampaignDetail extends Omit<CampaignView, 'rounds'> {
  /** In order of their numbers. */
  rounds: RainView[];
  /** From the ledger: claims on their way are not included. */
  winners: CampaignWinners;
}

export const CAMPAIGNS_MAX = 1_000;

/** The newest campaigns, at most `limit`. */
export async function listCampaigns({ ledger }: OperatorContext, limit = 100): Promise<CampaignView[]> {
  const campaigns = await ledger.campaigns(Math.min(limit, CAMPAIGNS_MAX));
  return Promise.all(campaigns.map(async ({ id, createdAt, ...plain }) => (
    { campaignId: id, ...plain, createdAt: new Date(createdAt).toISOString(), rounds: await ledger.countRains({ campaignId: id }) })));
}

export async function showCampaign(context: OperatorContext, campaignId: string): Promise<CampaignDetail | undefined> {
  const campaign = await context.ledger.campaign(campaignId);
  if (!campaign) return undefined;
  const [rounds, winners] = await Promise.all([context.ledger.rounds(campaignId), context.ledger.campaignWinners(campaign)]);
  const { id, createdAt, ...plain } = campaign;
  return { campaignId: id, ...plain, createdAt: new Date(createdAt).toISOString(), rounds: await viewRains(context, rounds), winners };
}
