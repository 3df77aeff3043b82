import type { Draft } from '../grab/stock.ts';
import type { Reveal } from '../grab/reading.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { commitment } from '../rain/commitment.ts';
import type { RainPlan } from '../rain/plan.ts';
import type { Desk } from './desk.ts';

/**
 * What was committed to when the rain was created, as its record says, which nobody can change afterwards; absent for a
 * rain that was created before there were commitments.
 */
export async function recordedCommitment({ ledger }: Pick<Desk, 'ledger'>, rainId: string): Promise<string | undefined> {
  const [first] = await ledger.actions(rainId, 1);
  return first?.verb === 'create' ? commitment.safeParse(first.details?.['commitment']).data : undefined;
}

/** How a booked rain is written down in Redis, whoever does it: the first to do so and all who repeat it must agree. */
export async function draftOf(desk: Pick<Desk, 'ledger'>, rain: Pick<BookedRain, 'id' | 'title' | 'shards' | 'opensAt' | 'closesAt' | 'packets' | 'rehearsal' | 'campaign'>): Promise<Draft> {
  const { id, title, shards, opensAt, closesAt, packets, rehearsal, campaign } = rain;
  const committed = await recordedCommitment(desk, id);
  return { rainId: id, title, shards, opensAt, closesAt, packets, ...(rehearsal && { rehearsal }), ...(campaign && { winsMax: campaign.winsMax }), ...(committed !== undefined && { commitment: committed }) };
}

/** What players may see once the rain is settled; nothing when nothing was committed to. To be asked for only then. */
export async function revealOf(desk: Pick<Desk, 'ledger'>, rainId: string): Promise<Reveal | undefined> {
  if (await recordedCommitment(desk, rainId) === undefined) return undefined;
  const rain = await desk.ledger.rain(rainId);
  // It was checked when it was booked; who recomputes the packets checks it again.
  return rain && { seed: rain.seed, plan: rain.split as unknown as RainPlan };
}
