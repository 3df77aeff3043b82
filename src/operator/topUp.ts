import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { announceChange } from '../store/transitions.ts';
import { findRain, readRain, redisNow } from '../store/rains.ts';
import { loadPackets } from '../store/loadPackets.ts';
import type { Json } from '../ledger/actions.ts';
import type { BookedTopUp, NewTopUp } from '../ledger/topUps.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { plainId } from '../rain/claim.ts';
import { formatMoney } from '../rain/money.ts';
import { PACKETS_MAX } from '../rain/plan.ts';
import { checkPlan } from '../rain/plan-check.ts';
import { TOP_UPS_MAX } from '../rain/top-up.ts';
import { refusalsOf } from '../rain/refusal.ts';
import { stateAt } from '../rain/rain.ts';
import { brokenPromise, recordedCommitment } from './commitment.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';
import { stockOf } from './load.ts';
import { hasLost } from './lostRains.ts';

const options = z.object({ id: plainId.optional(), dryRun: z.boolean().default(false) });

/** Budget, packets, split, min and max are judged by `checkPlan`, as those of a rain are. */
export interface TopUpRequest {
  /** The same id adds the same money once, however often it is asked for; absent: one is made, and asking again adds again. */
  id?: string;
  budget: string;
  packets: number;
  split?: unknown;
  min?: string;
  max?: string;
  /** Says what would be done, or why not, and does nothing. */
  dryRun?: boolean;
}

export type ToppedUp = {
  ok: true;
  rainId: string;
  id: string;
  /** What was added. */
  packets: number;
  budget: string;
  /** What the rain holds now, in all. */
  total: { packets: number; budget: string };
  /** False: the rain is not loaded yet, and `load` will load these packets with the others. */
  loaded: boolean;
  /** Absent of a dry run: nothing was drawn. */
  commitment?: string;
} | Refused;

/** What the operator calls a field that the book calls otherwise. */
const ASKED_AS: Partial<Record<keyof NewTopUp, string>> = { budgetCents: 'budget', split: 'plan', rainId: 'rain' };

/** Begins the names of the top-ups that roll over from one round to the next: whoever took one would keep that money from moving. */
export const ROLL_OVER = 'rollover:';

/** What an operator asks for; see `addToRain`. */
export async function topUpRain(context: OperatorContext, rainId: string, request: TopUpRequest, onProgress?: (loaded: number, packets: number) => void): Promise<ToppedUp> {
  if (String(request.id ?? '').startsWith(ROLL_OVER)) return refuse('id', `${ROLL_OVER} begins the names of what rolls over between the rounds of a campaign; call it otherwise`);
  return addToRain(context, rainId, request, onProgress);
}

/**
 * Adds money and packets to a rain, before or while it runs: first in the book, all or nothing, then in Redis, chunk by chunk.
 * Killed in between it is to be done again with the same id. Its packets come after all that were there before. Should the
 * rain end in between, the money is in its book and goes back with what nobody has won [R8].
 * @param onProgress packets in Redis so far, and of how many
 */
export async function addToRain(context: OperatorContext, rainId: string, request: TopUpRequest, onProgress: (loaded: number, packets: number) => void = () => {}): Promise<ToppedUp> {
  const { id: _, dryRun: __, ...plan } = request;
  const asked = options.safeParse(request);
  const verdict = checkPlan(plan);
  if (!asked.success || !verdict.ok) {
    return { ok: false, refusals: [...(asked.success ? [] : refusalsOf(asked.error, 'top-up')), ...(verdict.ok ? [] : verdict.refusals)] };
  }
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('rain', `there is no rain ${rainId}`);
  const id = asked.data.id ?? randomUUID();
  const { budgetCents, packets } = verdict.plan;
  const standing = rain.topUps.find((topUp) => topUp.id === id);
  const over = await whyOver(context, rain);
  if (over !== undefined) return refuse('rain', standing ? tellLate(rain, standing, over) : over);
  const added = await context.ledger.addTopUp({ id, rainId, budgetCents, packets, split: JSON.parse(JSON.stringify(plan)) as Json, seed: randomBytes(32).toString('hex') }, context.actor, asked.data.dryRun);
  if (asked.data.dryRun && (added.outcome === 'added' || added.outcome === 'exists')) {
    const more = added.outcome === 'exists' ? { packets: 0, budgetCents: 0n } : { packets, budgetCents };
    return { ok: true, rainId, id, packets, budget: formatMoney(budgetCents), total: totalOf({ packets: rain.packets + more.packets, budgetCents: rain.budgetCents + more.budgetCents }), loaded: false };
  }
  switch (added.outcome) {
    case 'no_rain': return refuse('rain', `there is no rain ${rainId}`);
    case 'sealed': return refuse('rain', `the rain ${rainId} is over and is being settled; nothing was added`);
    case 'too_much': return refuse('packets', tellBeyond(rain));
    case 'differs': return refuse('id', `a top-up ${id} exists already, with another ${added.fields.map((field) => ASKED_AS[field] ?? field).join(', ')}`);
    case 'added':
    case 'exists': return fill(context, rainId, added.topUp, onProgress);
    default: return added satisfies never;
  }
}

/** Brings into Redis what the book has of the rain, this top-up with it. */
async function fill(context: OperatorContext, rainId: string, topUp: BookedTopUp, onProgress: (loaded: number, packets: number) => void): Promise<ToppedUp> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) throw new Error(`the book has no rain ${rainId}`);
  const { id, packets, budgetCents, commitment } = topUp;
  const done = { ok: true, rainId, id, packets, budget: formatMoney(budgetCents), total: totalOf(rain), commitment } as const;
  const reading = await readRain(context.redis, rainId, rain);
  // After the top-up was booked: whoever loads the rain now reads the book once more when he is done, and finds it.
  if (!reading || reading.state === 'draft') return { ...done, loaded: false };
  if (brokenPromise(rain, await recordedCommitment(context, rainId))) return refuse('rain', `seed and plan of the rain ${rainId} are not those that were committed to; its packets would not be the ones promised`);
  const loaded = await loadPackets(context.redis, rainId, rain.shards, stockOf(rain), (count) => onProgress(count, rain.packets));
  await announceChange(context.redis, rainId);
  if (!loaded.ok) return refuse('rain', tellLate(rain, topUp, loaded.reason === 'no_such_rain' ? `Redis has lost the rain ${rainId}` : `the rain ${rainId} is over`));
  return { ...done, loaded: true };
}

/** Why nothing can be added any more; `undefined`: something can. */
async function whyOver(context: OperatorContext, rain: BookedRain): Promise<string | undefined> {
  if (rain.settledAt !== undefined) return `the rain ${rain.id} is settled`;
  if (rain.sealedAt !== undefined) return `the rain ${rain.id} is over and is being settled`;
  if (await hasLost(context, rain)) return `Redis has lost the rain ${rain.id} after it had opened`;
  const live = await findRain(context.redis, rain.id);
  const reading = live && await readRain(context.redis, rain.id, live);
  const now = await redisNow(context.redis);
  return (reading ? stateAt(reading, now) === 'closed' || reading.state === 'settled' : now >= rain.closesAt) ? `the rain ${rain.id} is over` : undefined;
}

function tellLate({ id }: BookedRain, topUp: BookedTopUp, why: string): string {
  return `${why}; the ${formatMoney(topUp.budgetCents)} of this top-up stand in the book of ${id}, and what nobody has won of them goes back when it is settled`;
}

function tellBeyond({ packets, topUps }: BookedRain): string {
  return `a rain takes ${TOP_UPS_MAX} top-ups and has ${PACKETS_MAX} packets at most; this one has had ${topUps.length} and has ${packets}`;
}

function totalOf({ packets, budgetCents }: Pick<BookedRain, 'packets' | 'budgetCents'>): { packets: number; budget: string } {
  return { packets, budget: formatMoney(budgetCents) };
}
