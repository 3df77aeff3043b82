import { z } from 'zod';
import { campaignId } from '../../rain/campaign.ts';
import { count, limit, time, uneven, type Endpoint } from './endpoint.ts';
import { rainView } from './rains.ts';
import { saleView } from './sales.ts';

const campaign = z.object({ campaignId: z.string(), title: z.string(), winsPerUserMax: count, shards: count, rollOver: z.boolean(), createdAt: time });

/** The verb validates the values. */
const newCampaign = z.strictObject({
  id: z.string().optional(),
  title: z.string().optional(),
  winsPerUserMax: z.number('expected how many rounds a user may win'),
  shards: z.number('expected a number of shards').optional().describe('Shards of every round.'),
  rollOver: z.boolean('expected true or false').optional().describe('Money that nobody won in a round moves to the next round.'),
});

const path = '/api/console/campaigns';
const tag = 'campaigns';

/** Several rains that share one win limit per user, and sales that share one limit of units. A round is created like a rain or a sale, with the field `campaign`. */
export const campaignsApi = {
  list: { id: 'listCampaigns', method: 'GET', path, tag, summary: 'The newest campaigns.', access: 'viewer', query: z.strictObject({ limit: limit(1_000) }), status: 200, answer: z.object({ campaigns: z.array(campaign.extend({ rounds: count })) }) },
  create: { id: 'createCampaign', method: 'POST', path, tag, summary: 'Create a campaign. Moves no money.', access: 'operator', body: newCampaign, status: 201, answer: z.object({ campaignId: z.string(), uneven: uneven.optional() }) },
  show: {
    id: 'showCampaign', method: 'GET', path: `${path}/:campaignId`, tag, summary: 'A campaign, its rounds and sales, and the number of its winners and buyers.', access: 'viewer', params: z.strictObject({ campaignId }), status: 200,
    answer: campaign.extend({
      rounds: z.array(rainView), winners: z.object({ users: count, wins: count, beyond: count }), sales: z.array(saleView).describe('Rounds that are sales.'), buyers: z.object({ users: count, units: count, beyond: count }),
      nextRound: count.describe('The number after those of all rains and sales.'),
    }),
  },
} satisfies Record<string, Endpoint>;
