import type { Draft } from '../store/loadPackets.ts';
import type { Reveal } from '../store/rains.ts';
import { recordedCommitment } from '../ledger/commitment.ts';
import { atCreation, type BookedRain } from '../ledger/rains.ts';
import type { TopUpPromise } from '../rain/commitment.ts';
import type { ShownPlan } from '../rain/plan.ts';
import type { OperatorContext } from './context.ts';

/**
 * The rain as first written to Redis, without top-ups. Every caller must get the same draft: writing it may be
 * repeated.
 */
export async function draftOf(context: Pick<OperatorContext, 'ledger'>, rain: BookedRain): Promise<Draft> {
  const { id, title, shards, opensAt, closesAt, terms } = rain;
  const recorded = await recordedCommitment(context, id);
  return {
    rainId: id,
    title,
    shards,
    opensAt,
    closesAt,
    terms,
    packets: atCreation(rain).packets,
    ...(recorded !== undefined && { commitment: recorded }),
  };
}

/**
 * The commitment opened for players once the rain is settled; undefined when there is none. Call it only for a settled
 * rain.
 */
export async function revealOf(context: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<Reveal | undefined> {
  if ((await recordedCommitment(context, rainId)) === undefined) return undefined;
  const rain = await context.ledger.rain(rainId);
  // Checked when it was booked; players who recompute the packets check it again.
  return rain && { seed: rain.seed, plan: rain.split as unknown as ShownPlan, topUps: revealedTopUps(rain) };
}

export function revealedTopUps({ topUps }: BookedRain): Required<TopUpPromise>[] {
  return topUps.map(({ commitment: promised, packets, seed, split }) => ({
    commitment: promised,
    packets,
    seed,
    plan: split as unknown as ShownPlan,
  }));
}
