import { announceChange } from '../store/transitions.ts';
import { draftRain, loadPackets, type Stock } from '../store/loadPackets.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { joined } from '../rain/commitment.ts';
import { checkPlan } from '../rain/plan-check.ts';
import { formatRefusal } from '../rain/refusal.ts';
import { splitBudget } from '../rain/split.ts';
import { countWins } from './campaign/wins.ts';
import { breaksCommitment, draftOf } from './commitment.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { hasLost } from './lostRains.ts';
import { lostReason, unknownReason } from './restore/presence.ts';

type LoadedRain = { ok: true; packets: number } | Refused;

/** The packets of a rain as its recorded plan and seed give them, then those of each top-up; cents. */
export function allocationOf(rain: Pick<BookedRain, 'split' | 'seed' | 'topUps'>): BigInt64Array {
  return joined([rain, ...rain.topUps].map(({ split, seed }) => {
    const checked = checkPlan(split);
    // Checked when it was booked: a plan that no longer passes has been tampered with.
    if (!checked.ok) throw new Error(`the booked plan is not valid: ${checked.refusals.map(formatRefusal).join('; ')}`);
    return splitBudget(checked.plan, seed);
  }));
}

/** What Redis must hold of a rain once it is fully loaded. */
export function stockOf(rain: BookedRain): Stock {
  return { amounts: allocationOf(rain), topUps: rain.topUps.map(({ commitment, packets }) => ({ commitment, packets })) };
}

/** Cut half-way and run again, it continues: the packets follow from the recorded seed, and every chunk carries its offset. */
export async function loadRain(context: OperatorContext, rainId: string, onProgress: (loaded: number, packets: number) => void = () => {}): Promise<LoadedRain> {
  let rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('id', await unknownReason(context, rainId));
  if (rain.settledAt) return refuse('id', `the rain ${rainId} is settled`);
  if (await hasLost(context, rain)) return refuse('id', lostReason(rainId));
  const draft = await draftOf(context, rain);
  // Recorded before the first packet is loaded: see `hasLost`.
  await context.ledger.record({ actor: context.actor, verb: 'load', rainId, details: { packets: rain.packets } });
  const lost = () => refuse('id', `the rain ${rainId} cannot be loaded: Redis has lost it meanwhile`);
  for (let drafted = false; ;) {
    if (breaksCommitment(rain, draft.commitment)) return refuse('id', `seed and plan of the rain ${rainId} do not match the commitment; its packets would not be the promised ones`);
    if (!drafted && await draftRain(context.redis, draft) === 'taken') return refuse('id', `Redis holds another rain ${rainId}`);
    // Before the first packet is loaded: no user may win while earlier wins are not counted.
    if (!drafted && !await countWins(context, rain)) return lost();
    drafted = true;
    const { packets } = rain;
    const loaded = await loadPackets(context.redis, rainId, rain.shards, stockOf(rain), (count) => onProgress(count, packets));
    if (!loaded.ok) return loaded.reason === 'not_a_draft' ? refuse('id', `the rain ${rainId} cannot be loaded: it is closed`) : lost();
    // A top-up that was added meanwhile found a draft and left its packets to this load.
    const latest: BookedRain | undefined = await context.ledger.rain(rainId);
    if (!latest || latest.packets === packets) {
      await announceChange(context.redis, rainId);
      return { ok: true, packets: loaded.packets };
    }
    rain = latest;
  }
}
