import { z } from 'zod';
import type { Round } from '../../ledger/rains.ts';
import { campaignId, round, roundId, roundOf } from '../../rain/campaign.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';

/** Which round of which campaign a rain is to be. */
export const roundRequest = z.object({
  id: campaignId,
  round,
}, 'expected {"id","round"}');

interface Asked {
  id?: string | undefined;
  shards?: number | undefined;
  campaign?: z.output<typeof roundRequest> | undefined;
}

/** What follows from the campaign of a rain: how it is called, and how many shards it has. */
export async function nameRain(context: OperatorContext, { id, shards, campaign: asked }: Asked, another: () => string): Promise<{ ok: true; id: string; shards: number; campaign?: Round } | Refused> {
  if (!asked) {
    if (id !== undefined && roundOf(id)) return refuse('id', 'a dot is for the rounds of a campaign; say which campaign and which round it is');
    return { ok: true, id: id ?? another(), shards: shards ?? 1 };
  }
  const campaign = await context.ledger.campaign(asked.id);
  if (!campaign) return refuse('campaign', `there is no campaign ${asked.id}`);
  const name = roundId({ campaignId: asked.id, round: asked.round });
  if (id !== undefined && id !== name) return refuse('id', `round ${asked.round} of ${asked.id} is called ${name}`);
  if (shards !== undefined && shards !== campaign.shards) return refuse('shards', `all rounds of ${asked.id} have ${campaign.shards}`);
  return { ok: true, id: name, shards: campaign.shards, campaign: asked };
}
