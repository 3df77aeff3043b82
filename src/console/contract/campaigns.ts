import { z } from 'zod';
import { campaignId } from '../../rain/campaign.ts';
import { endpoint } from './endpoint.ts';
import { count, limit, time } from './fields.ts';
import { rainView } from './rains.ts';

const campaign = z.object({ campaignId: z.string(), title: z.string(), winsPerUserMax: count, shards: count, rollOver: z.boolean(), createdAt: time });

/** Judged by the verb that takes it. */
const newCampaign = z.strictObject({
  id: z.string().optional(),
  title: z.string().optional(),
  winsPerUserMax: z.number('expected how many rounds a user may win'),
  shards: z.number('expected a number of shards').optional().describe('Of every round.'),
  rollOver: z.boolean('expected true or false').optional().describe('What nobody has won in a round goes into the next one.'),
});

const path = '/api/console/campaigns';
const tag = 'campaigns';

/** Several rains that share one count of wins a user; a round is planned as a rain is, with `campaign`. */
export const campaignsApi = {
  list: endpoint({ id: 'listCampaigns', method: 'GET', path, tag, summary: 'The newest campaigns.', who: 'viewer', query: z.strictObject({ limit: limit(1_000) }), status: 200, answer: z.object({ campaigns: z.array(campaign.extend({ rounds: count })) }) }),
  create: endpoint({ id: 'createCampaign', method: 'POST', path, tag, summary: 'Begin a campaign; it moves no money.', who: 'operator', body: newCampaign, status: 201, answer: z.object({ campaignId: z.string() }) }),
  show: endpoint({
    id: 'showCampaign', method: 'GET', path: `${path}/:campaignId`, tag, summary: 'A campaign, its rounds, and what is known of its winners.', who: 'viewer', params: z.strictObject({ campaignId }), status: 200,
    answer: campaign.extend({ rounds: z.array(rainView), winners: z.object({ users: count, wins: count, beyond: count }) }),
  }),
};
