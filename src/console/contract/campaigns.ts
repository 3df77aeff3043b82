import { z } from 'zod';
import { LIST_BYTES_MAX } from '../../operator/sheetReader.ts';
import { campaignId } from '../../rain/campaign.ts';
import { count, dryRun, limit, time, understood, uneven, type Endpoint } from './endpoint.ts';
import { rainView } from './rains.ts';
import { saleView } from './sales.ts';

const campaign = z.object({
  campaignId: z.string(),
  title: z.string(),
  winsPerUserMax: count,
  shards: count,
  rollOver: z.boolean(),
  createdAt: time,
});

/** The verb validates the values. */
const newCampaign = z.strictObject({
  id: z.string().optional(),
  title: z.string().optional(),
  winsPerUserMax: z.number('expected how many rounds a user may win'),
  shards: z.number('expected a number of shards').optional().describe('Shards of every round.'),
  rollOver: z
    .boolean('expected true or false')
    .optional()
    .describe('Money that nobody won in a round moves to the next round.'),
});

const excluded = z.object({ excluded: count.describe('Users who were not excluded before.'), total: count });

const path = '/api/console/campaigns';
const tag = 'campaigns';
const params = z.strictObject({ campaignId });

/**
 * Several rains that share one win limit per user, and sales that share one limit of units. A round is created like a
 * rain or a sale, with the field `campaign`.
 */
export const campaignsApi = {
  list: {
    id: 'listCampaigns',
    method: 'GET',
    path,
    tag,
    summary: 'The newest campaigns.',
    access: 'viewer',
    query: z.strictObject({ limit: limit(1_000) }),
    status: 200,
    answer: z.object({ campaigns: z.array(campaign.extend({ rounds: count })) }),
  },
  create: {
    id: 'createCampaign',
    method: 'POST',
    path,
    tag,
    summary: 'Create a campaign. Moves no money.',
    access: 'operator',
    body: newCampaign,
    status: 201,
    answer: z.object({ campaignId: z.string(), uneven: uneven.optional() }),
  },
  show: {
    id: 'showCampaign',
    method: 'GET',
    path: `${path}/:campaignId`,
    tag,
    summary: 'A campaign, its rounds and sales, and the number of its winners and buyers.',
    access: 'viewer',
    params,
    status: 200,
    answer: campaign.extend({
      rounds: z.array(rainView),
      winners: z.object({ users: count, wins: count, beyond: count }),
      sales: z.array(saleView).describe('Rounds that are sales.'),
      buyers: z.object({ users: count, units: count, beyond: count }),
      excluded: z
        .object({
          users: count,
          credits: count.describe(
            'Packets that they were credited with all the same: they had won before, or Redis had lost it.',
          ),
        })
        .describe('Users who win and buy nothing in it.'),
      nextRound: count.describe('The number after those of all rains and sales.'),
    }),
  },
  excludeWinners: {
    id: 'excludeWinners',
    method: 'POST',
    path: `${path}/:campaignId/exclude`,
    tag,
    summary:
      'Exclude the winners of a settled rain, or of another campaign: they win nothing in the rains of this one and buy nothing in its sales.',
    access: 'operator',
    params,
    body: z.strictObject({ winnersOf: z.string('expected the id of a rain or campaign').max(128) }),
    status: 200,
    answer: excluded,
  },
  excludeBuyers: {
    id: 'excludeBuyers',
    method: 'POST',
    path: `${path}/:campaignId/exclude-buyers`,
    tag,
    summary: 'The same of the buyers of a settled sale, or of another campaign: users whose orders are paid.',
    access: 'operator',
    params,
    body: z.strictObject({ buyersOf: z.string('expected the id of a sale or campaign').max(128) }),
    status: 200,
    answer: excluded,
  },
  excludeListed: {
    id: 'excludeListed',
    method: 'POST',
    path: `${path}/:campaignId/exclude-listed`,
    tag,
    summary: 'Exclude the users of an .xlsx or a CSV with the column user, or number for participants.',
    access: 'operator',
    params,
    query: z.strictObject({ dryRun }),
    body: z.custom<Buffer>((body) => body instanceof Buffer, 'expected the list as text/csv'),
    bodyType: 'text/csv',
    bodyBytesMax: LIST_BYTES_MAX,
    status: 200,
    answer: excluded.extend({
      users: count.describe('Users whom the list names.'),
      first: z.array(z.string()).describe('The first of them.'),
      understood,
    }),
  },
  readmit: {
    id: 'readmit',
    method: 'POST',
    path: `${path}/:campaignId/readmit`,
    tag,
    summary: 'Take all exclusions back, as long as no round is loaded.',
    access: 'operator',
    params,
    status: 200,
    answer: z.object({ readmitted: count }),
  },
} satisfies Record<string, Endpoint>;
