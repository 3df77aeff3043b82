import type { Draft } from '../store/loadPackets.ts';
import type { Reveal } from '../store/rains.ts';
import { atCreation, type BookedRain } from '../ledger/rains.ts';
import { commitment, commitmentOf } from '../rain/commitment.ts';
import type { ShownPlan } from '../rain/plan.ts';
import type { TopUpPromise } from '../rain/top-up.ts';
import type { OperatorContext } from './context.ts';

/**
 * What was committed to when the rain was created, as its record says, which nobody can change afterwards; absent for a
 * rain that was created before there were commitments.
 */
export async function recordedCommitment({ ledger }: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<string | undefined> {
  const [first] = await ledger.actions(rainId, 1);
  return first?.verb === 'create' ? commitment.safeParse(first.details?.['commitment']).data : undefined;
}

/** Whether the book has other seeds or plans than it promised; the rain's own is not judged where nothing was promised. */
export function brokenPromise({ id: rainId, seed, split: plan, shards, packets, budgetCents, topUps }: BookedRain, committed: string | undefined): boolean {
  if (committed !== undefined && committed !== commitmentOf({ rainId, seed, plan, shards })) return true;
  let first = atCreation({ packets, budgetCents, topUps }).packets;
  return topUps.some((topUp) => {
    const broken = topUp.commitment !== commitmentOf({ rainId, seed: topUp.seed, plan: topUp.split, shards, first });
    first += topUp.packets;
    return broken;
  });
}

/**
 * How a booked rain is written down in Redis at first, whoever does it: the first to do so and all who repeat it must agree. What
 * was added to it comes with its packets.
 */
export async function draftOf(context: Pick<OperatorContext, 'ledger'>, rain: Pick<BookedRain, 'id' | 'title' | 'shards' | 'opensAt' | 'closesAt' | 'packets' | 'budgetCents' | 'topUps' | 'terms'>): Promise<Draft> {
  const { id, title, shards, opensAt, closesAt, terms } = rain;
  const committed = await recordedCommitment(context, id);
  return {
    rainId: id, title, shards, opensAt, closesAt, terms, packets: atCreation(rain).packets,
    ...(committed !== undefined && { commitment: committed }),
  };
}

/** What players may see once the rain is settled; nothing when nothing was committed to. To be asked for only then. */
export async function revealOf(context: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<Reveal | undefined> {
  if (await recordedCommitment(context, rainId) === undefined) return undefined;
  const rain = await context.ledger.rain(rainId);
  // It was checked when it was booked; who recomputes the packets checks it again.
  return rain && { seed: rain.seed, plan: rain.split as unknown as ShownPlan, topUps: revealedTopUps(rain) };
}

export function revealedTopUps({ topUps }: BookedRain): Required<TopUpPromise>[] {
  return topUps.map(({ commitment: told, packets, seed, split }) => ({ commitment: told, packets, seed, plan: split as unknown as ShownPlan }));
}
