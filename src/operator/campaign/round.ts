import { z } from 'zod';
import type { Round } from '../../ledger/rains.ts';
import { campaignId, round, roundId, roundOf } from '../../rain/campaign.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';

/** The campaign and round that a rain belongs to. */
export const roundRequest = z.object({
  id: campaignId,
  round,
}, 'expected {"id","round"}');

interface RoundQuery {
  id?: string | undefined;
  shards?: number | undefined;
  campaign?: z.output<typeof roundRequest> | undefined;
}

/** The id and number of shards of a rain; the campaign decides both for its rounds. */
export async function nameRain(context: OperatorContext, { id, shards, campaign: requested }: RoundQuery, newId: () => string): Promise<{ ok: true; id: string; shards: number; campaign?: Round } | Refused> {
  if (!requested) {
    if (id !== undefined && roundOf(id)) return refuse('id', 'a dot is reserved for rounds of a campaign; give the campaign and the round');
    return { ok: true, id: id ?? newId(), shards: shards ?? 1 };
  }
  const campaign = await context.ledger.campaign(requested.id);
  if (!campaign) return refuse('campaign', `there is no campaign ${requested.id}`);
  const name = roundId({ campaignId: requested.id, round: requested.round });
  if (id !== undefined && id !== name) return refuse('id', `round ${requested.round} of ${requested.id} is called ${name}`);
  if (shards !== undefined && shards !== campaign.shards) return refuse('shards', `all rounds of ${requested.id} have ${campaign.shards}`);
  return { ok: true, id: name, shards: campaign.shards, campaign: requested };
}
