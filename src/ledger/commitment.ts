import { commitment, commitmentOf } from '../rain/commitment.ts';
import type { Ledger } from './ledger.ts';
import { atCreation, type BookedRain } from './rains.ts';

/**
 * The commitment from the rain's `create` record, which nobody can change; absent for a rain from before commitments
 * existed.
 */
export async function recordedCommitment(
  { ledger }: { ledger: Pick<Ledger, 'actions'> },
  rainId: string,
): Promise<string | undefined> {
  const [first] = await ledger.actions(rainId, 1);
  return first?.verb === 'create' ? commitment.safeParse(first.details?.['commitment']).data : undefined;
}

/**
 * Whether seeds or plans in the ledger differ from the commitments. Without a commitment of the rain, its top-ups are
 * still checked.
 */
export function breaksCommitment(
  { id: rainId, seed, split: plan, shards, packets, budgetCents, topUps }: BookedRain,
  recorded: string | undefined,
): boolean {
  if (recorded !== undefined && recorded !== commitmentOf({ rainId, seed, plan, shards })) return true;
  let first = atCreation({ packets, budgetCents, topUps }).packets;
  return topUps.some((topUp) => {
    const broken = topUp.commitment !== commitmentOf({ rainId, seed: topUp.seed, plan: topUp.split, shards, first });
    first += topUp.packets;
    return broken;
  });
}
