import { createCampaign } from '../../operator/campaign/create.ts';
import { listCampaigns, showCampaign } from '../../operator/campaign/show.ts';
import { campaignsApi } from '../contract/campaigns.ts';
import { declined, declinedFor, route, type Route } from './route.ts';

export const campaignRoutes: readonly Route[] = [
  route(campaignsApi.list, async ({ context, query: { limit } }) => ({ answer: { campaigns: await listCampaigns(context, limit) } })),

  route(campaignsApi.create, async ({ context, body: { id, title, winsPerUserMax, shards, rollOver } }) => {
    const created = await createCampaign(context, {
      winsPerUserMax, ...(id !== undefined && { id }), ...(title !== undefined && { title }), ...(shards !== undefined && { shards }), ...(rollOver !== undefined && { rollOver }),
    });
    return created.ok ? { answer: { campaignId: created.campaignId } } : declinedFor(created.refusals);
  }),

  route(campaignsApi.show, async ({ context, params: { campaignId } }) => {
    const found = await showCampaign(context, campaignId);
    return found ? { answer: found } : declined('no_such_campaign');
  }),
];
