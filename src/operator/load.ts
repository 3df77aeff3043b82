import { announceChange } from '../grab/phases.ts';
import { draftRain, loadPackets } from '../grab/stock.ts';
import { commitmentOf } from '../rain/commitment.ts';
import { checkPlan } from '../rain/plan-check.ts';
import { tellRefusal } from '../rain/refusal.ts';
import { splitBudget } from '../rain/split.ts';
import { countWins } from './campaign/wins.ts';
import { draftOf } from './commitment.ts';
import { refuse, type Desk, type Refused } from './desk.ts';
import { hasLost } from './lost.ts';

export type LoadedRain = { ok: true; packets: number } | Refused;

/** The packets of a rain as its recorded plan and seed give them, in the order in which they are handed out; cents. */
export function allocationOf(rain: { split: unknown; seed: string }): BigInt64Array {
  const verdict = checkPlan(rain.split);
  // It was checked when it was booked; a plan that no longer passes has been tampered with.
  if (!verdict.ok) throw new Error(`the booked plan is not valid: ${verdict.refusals.map(tellRefusal).join('; ')}`);
  return splitBudget(verdict.plan, rain.seed);
}

/**
 * Preallocates the packets. Killed half-way and run again it goes on where it stopped: the packets follow from the
 * recorded seed, and every chunk carries its offset.
 * @param onProgress packets in Redis so far, and of how many
 */
export async function loadRain(desk: Desk, rainId: string, onProgress: (loaded: number, packets: number) => void = () => {}): Promise<LoadedRain> {
  const rain = await desk.ledger.rain(rainId);
  if (!rain) return refuse('id', `there is no rain ${rainId}`);
  if (rain.settledAt) return refuse('id', `the rain ${rainId} is settled`);
  if (await hasLost(desk, rain)) return refuse('id', `Redis has lost the rain ${rainId} after it had opened; what was won is not known there, so its packets are not handed out again`);
  const draft = await draftOf(desk, rain);
  if (draft.commitment !== undefined && draft.commitment !== commitmentOf({ ...rain, rainId, plan: rain.split })) {
    return refuse('id', `seed and plan of the rain ${rainId} are not those that were committed to when it was created; its packets would not be the ones promised`);
  }
  const amounts = allocationOf(rain);
  // On record before it is done: see `hasLost`.
  await desk.ledger.record({ actor: desk.actor, verb: 'load', rainId, details: { packets: rain.packets } });
  const drafted = await draftRain(desk.redis, draft);
  if (drafted === 'taken') return refuse('id', `Redis holds another rain ${rainId}`);
  const lost = () => refuse('id', `the rain ${rainId} cannot be loaded: Redis has lost it meanwhile`);
  // Before it has a packet: nobody is to win whose wins are not known.
  if (!await countWins(desk, rain)) return lost();
  const loaded = await loadPackets(desk.redis, rainId, rain.shards, amounts, (count) => onProgress(count, rain.packets));
  if (!loaded.ok) return loaded.reason === 'not_a_draft' ? refuse('id', `the rain ${rainId} cannot be loaded: it is closed`) : lost();
  await announceChange(desk.redis, rainId);
  return { ok: true, packets: loaded.packets };
}
