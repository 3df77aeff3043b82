import type { Draft } from '../store/loadPackets.ts';
import type { Reveal } from '../store/rains.ts';
import { atCreation, type BookedRain } from '../ledger/rains.ts';
import { commitment, commitmentOf, type TopUpPromise } from '../rain/commitment.ts';
import type { ShownPlan } from '../rain/plan.ts';
import type { OperatorContext } from './context.ts';

/** The commitment from the rain's `create` record, which nobody can change; absent for a rain from before commitments existed. */
export async function recordedCommitment({ ledger }: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<string | undefined> {
  const [first] = await ledger.actions(rainId, 1);
  return first?.verb === 'create' ? commitment.safeParse(first.details?.['commitment']).data : undefined;
}

/** Whether seeds or plans in the ledger differ from the commitments. Without a commitment of the rain, its top-ups are still checked. */
export function breaksCommitment({ id: rainId, seed, split: plan, shards, packets, budgetCents, topUps }: BookedRain, recorded: string | undefined): boolean {
  if (recorded !== undefined && recorded !== commitmentOf({ rainId, seed, plan, shards })) return true;
  let first = atCreation({ packets, budgetCents, topUps }).packets;
  return topUps.some((topUp) => {
    const broken = topUp.commitment !== commitmentOf({ rainId, seed: topUp.seed, plan: topUp.split, shards, first });
    first += topUp.packets;
    return broken;
  });
}

/** The rain as first written to Redis, without top-ups. Every caller must get the same draft: writing it may be repeated. */
export async function draftOf(context: Pick<OperatorContext, 'ledger'>, rain: BookedRain): Promise<Draft> {
  const { id, title, shards, opensAt, closesAt, terms } = rain;
  const recorded = await recordedCommitment(context, id);
  return {
    rainId: id, title, shards, opensAt, closesAt, terms, packets: atCreation(rain).packets,
    ...(recorded !== undefined && { commitment: recorded }),
  };
}

/** What players may see once the rain is settled; undefined when there is no commitment. Call it only for a settled rain. */
export async function revealOf(context: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<Reveal | undefined> {
  if (await recordedCommitment(context, rainId) === undefined) return undefined;
  const rain = await context.ledger.rain(rainId);
  // Checked when it was booked; players who recompute the packets check it again.
  return rain && { seed: rain.seed, plan: rain.split as unknown as ShownPlan, topUps: revealedTopUps(rain) };
}

export function revealedTopUps({ topUps }: BookedRain): Required<TopUpPromise>[] {
  return topUps.map(({ commitment: promised, packets, seed, split }) => ({ commitment: promised, packets, seed, plan: split as unknown as ShownPlan }));
}
