import { createCampaign } from '../../operator/campaign/create.ts';
import { listCampaigns, showCampaign } from '../../operator/campaign/show.ts';
import { campaignsApi } from '../contract/campaigns.ts';
import { answerOf, foundOr, route, type Route } from './route.ts';

export const campaignRoutes: readonly Route[] = [
  route(campaignsApi.list, async ({ context, query: { limit } }) => ({ answer: { campaigns: await listCampaigns(context, limit) } })),

  route(campaignsApi.create, async ({ context, body }) => answerOf(await createCampaign(context, body))),

  route(campaignsApi.show, async ({ context, params: { campaignId } }) => foundOr('no_such_campaign', await showCampaign(context, campaignId))),
];
