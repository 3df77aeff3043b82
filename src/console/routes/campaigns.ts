import { createCampaign, nextRound } from '../../operator/campaign/create.ts';
import { excludeBuyers, excludeListed, excludeWinners, readmit } from '../../operator/campaign/exclude.ts';
import { listCampaigns, showCampaign, showCampaignSales } from '../../operator/campaign/show.ts';
import { campaignsApi } from '../contract/campaigns.ts';
import { streamOf } from './bodyStream.ts';
import { answerOf, foundOr, route, type Route } from './route.ts';

export const campaignRoutes: readonly Route[] = [
  route(campaignsApi.list, async ({ context, query: { limit } }) => ({
    answer: { campaigns: await listCampaigns(context, limit) },
  })),
  route(campaignsApi.create, async ({ context, body }) => answerOf(await createCampaign(context, body))),
  route(campaignsApi.show, async ({ context, params: { campaignId } }) => {
    const campaign = await showCampaign(context, campaignId);
    return foundOr(
      'no_such_campaign',
      campaign && {
        ...campaign,
        ...(await showCampaignSales(context, campaign)),
        nextRound: await nextRound(context, campaignId),
      },
    );
  }),
  route(campaignsApi.excludeWinners, async ({ context, params: { campaignId }, body: { winnersOf } }) =>
    answerOf(await excludeWinners(context, campaignId, winnersOf)),
  ),
  route(campaignsApi.excludeBuyers, async ({ context, params: { campaignId }, body: { buyersOf } }) =>
    answerOf(await excludeBuyers(context, campaignId, buyersOf)),
  ),
  route(campaignsApi.excludeListed, async ({ context, params: { campaignId }, query: { dryRun }, body }) =>
    answerOf(await excludeListed(context, campaignId, streamOf(body), { dryRun: dryRun === 'yes' })),
  ),
  route(campaignsApi.readmit, async ({ context, params: { campaignId } }) =>
    answerOf(await readmit(context, campaignId)),
  ),
];
