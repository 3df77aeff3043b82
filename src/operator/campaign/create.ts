import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { slotTable } from '../../platform/redis/owner.ts';
import { SHARDS_MAX } from '../../store/keys.ts';
import { redisNow } from '../../store/rains.ts';
import type { Round } from '../../ledger/rains.ts';
import { campaignId, round, roundId, roundOf, ROUNDS_MAX } from '../../rain/campaign.ts';
import { WINS_PER_USER_MAX } from '../../rain/terms.ts';
import { idAt } from '../../rain/idAt.ts';
import { refusalsOf } from '../../rain/refusal.ts';
import { drawEvenId, unevenReason } from '../placement.ts';
import { existsAlready, refuse, type OperatorContext, type Refused } from '../context.ts';
import { rainTitle } from '../wording.ts';

/** How many shards a rain has. */
export const shardCount = z
  .int()
  .min(1, 'expected at least 1 shard')
  .max(SHARDS_MAX, `expected at most ${SHARDS_MAX} shards`);

const WINS = `expected a whole number from 1 to ${WINS_PER_USER_MAX}`;

const campaignRequest = z.object({
  id: campaignId.optional(),
  title: rainTitle.optional(),
  /** How many rounds a user may win. */
  winsPerUserMax: z.int(WINS).min(1, WINS).max(WINS_PER_USER_MAX, WINS),
  /** The same for every round, since a user's wins are counted in one shard. */
  shards: shardCount.default(1),
  /** The unclaimed money of a round goes into the next round that is not over. */
  rollOver: z.boolean('expected true or false').default(false),
});
export type CampaignRequest = z.input<typeof campaignRequest>;

/** `uneven`: see `unevenReason`. */
type CampaignCreated = { ok: true; campaignId: string; uneven?: string } | Refused;

/**
 * Creates a campaign. Its rounds are rains, added with `createRain`; each brings its own budget. Safe to repeat with an
 * id.
 */
export async function createCampaign(context: OperatorContext, request: CampaignRequest): Promise<CampaignCreated> {
  const parsed = campaignRequest.safeParse(request);
  if (!parsed.success) return { ok: false, refusals: refusalsOf(parsed.error, 'campaign') };
  const { winsPerUserMax, shards, rollOver } = parsed.data;
  const [now, table] = [await redisNow(context.redis), slotTable(context.redis)];
  // Its rounds have the masters of the campaign, so they are chosen here.
  const id = parsed.data.id ?? drawEvenId(table, shards, () => `c${idAt(now, randomBytes(2))}`);
  const created = await context.ledger.createCampaign(
    { id, title: parsed.data.title ?? `Campaign ${id}`, winsPerUserMax, shards, rollOver },
    context.actor,
  );
  if (created.outcome === 'differs') return existsAlready('campaign', id, created.fields);
  const uneven = unevenReason(table, id, shards);
  return { ok: true, campaignId: id, ...(uneven !== undefined && { uneven }) };
}

/** The campaign and round that a rain belongs to. */
export const roundRequest = z.object({ id: campaignId, round }, 'expected {"id","round"}');

type RoundQuery = {
  id?: string | undefined;
  shards?: number | undefined;
  campaign?: z.output<typeof roundRequest> | undefined;
};

type Named = { ok: true; id: string; shards: number; campaign?: Round } | Refused;

/** The id and number of shards of a rain or sale; the campaign decides both for its rounds. */
export async function nameRain(
  context: OperatorContext,
  { id, shards, campaign: requested }: RoundQuery,
  noun: 'rain' | 'sale',
  newId: (shards: number) => string,
): Promise<Named> {
  if (!requested) {
    if (id !== undefined && roundOf(id))
      return refuse('id', 'a dot is reserved for rounds of a campaign; give the campaign and the round');
    return (
      (await sameIdElsewhere(context, id, noun, 'id')) ?? {
        ok: true,
        id: id ?? newId(shards ?? 1),
        shards: shards ?? 1,
      }
    );
  }
  const campaign = await context.ledger.campaign(requested.id);
  if (!campaign) return refuse('campaign', `there is no campaign ${requested.id}`);
  const name = roundId({ campaignId: requested.id, round: requested.round });
  if (id !== undefined && id !== name)
    return refuse('id', `round ${requested.round} of ${requested.id} is called ${name}`);
  if (shards !== undefined && shards !== campaign.shards)
    return refuse('shards', `all rounds of ${requested.id} have ${campaign.shards}`);
  return (
    (await sameIdElsewhere(context, name, noun, 'campaign')) ?? {
      ok: true,
      id: name,
      shards: campaign.shards,
      campaign: requested,
    }
  );
}

/** Actions of operators are recorded by id alone, so a rain and a sale never have the same one. */
async function sameIdElsewhere(
  { ledger }: OperatorContext,
  id: string | undefined,
  noun: 'rain' | 'sale',
  field: string,
): Promise<Refused | undefined> {
  if (id === undefined) return undefined;
  const other = noun === 'rain' ? 'sale' : 'rain';
  return (await ledger[other](id))
    ? refuse(field, `${id} is a ${other} already, expected ${field === 'id' ? 'another id' : 'another round'}`)
    : undefined;
}

/** The number after those of all rains and sales of a campaign. */
export async function nextRound({ ledger }: OperatorContext, campaign: string): Promise<number> {
  const rounds = [...(await ledger.rounds(campaign)), ...(await ledger.sales(ROUNDS_MAX, { campaignId: campaign }))];
  return 1 + Math.max(0, ...rounds.map((one) => one.campaign?.round ?? 0));
}
