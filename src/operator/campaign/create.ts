import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { SHARDS_MAX } from '../../store/keys.ts';
import { redisNow } from '../../store/rains.ts';
import { campaignId } from '../../rain/campaign.ts';
import { WINS_PER_USER_MAX } from '../../rain/terms.ts';
import { refusalsOf } from '../../rain/refusal.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { rainTitle } from '../wording.ts';

const WINS = `expected a whole number from 1 to ${WINS_PER_USER_MAX}`;

const campaignRequest = z.object({
  id: campaignId.optional(),
  title: rainTitle.optional(),
  /** How many rounds a user may win. */
  winsPerUserMax: z.int(WINS).min(1, WINS).max(WINS_PER_USER_MAX, WINS),
  /** The same for every round, since a user's wins are counted in one shard. */
  shards: z.int().min(1, 'expected at least 1 shard').max(SHARDS_MAX, `expected at most ${SHARDS_MAX} shards`).default(1),
  /** The unclaimed money of a round goes into the next round that is not over. */
  rollOver: z.boolean('expected true or false').default(false),
});
export type CampaignRequest = z.input<typeof campaignRequest>;

type CampaignCreated = { ok: true; campaignId: string } | Refused;

/** Creates a campaign. Its rounds are rains, added with `createRain`; each brings its own budget. Safe to repeat with an id. */
export async function createCampaign(context: OperatorContext, request: CampaignRequest): Promise<CampaignCreated> {
  const parsed = campaignRequest.safeParse(request);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'campaign') };
  const { winsPerUserMax, shards, rollOver } = parsed.data;
  const id = parsed.data.id ?? `c${(await redisNow(context.redis)).toString(36)}${randomBytes(2).toString('hex')}`;
  const created = await context.ledger.createCampaign({ id, title: parsed.data.title ?? `Campaign ${id}`, winsPerUserMax, shards, rollOver }, context.actor);
  if (created.outcome === 'differs') return refuse('id', `a campaign ${id} exists already, with another ${created.fields.join(', ')}`);
  return { ok: true, campaignId: id };
}
