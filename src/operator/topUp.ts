import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { announceChange } from '../store/transitions.ts';
import { readRain, redisNow } from '../store/rains.ts';
import { loadPackets } from '../store/loadPackets.ts';
import type { Json } from '../ledger/actions.ts';
import { breaksCommitment, recordedCommitment } from '../ledger/commitment.ts';
import type { Adding, BookedTopUp } from '../ledger/topUps.ts';
import type { BookedRain } from '../ledger/rains.ts';
import { plainId } from '../rain/ids.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import { PACKETS_MAX } from '../rain/plan.ts';
import { checkPlan } from '../rain/plan-check.ts';
import { stateAt } from '../rain/rain.ts';
import { TOP_UPS_MAX } from '../rain/commitment.ts';
import { refusalsOf } from '../rain/refusal.ts';
import { needsApproval } from './approval/ask.ts';
import { existsAlready, refuse, type OperatorContext, type Refused } from './context.ts';
import { OTHER_KEY, stockOf } from './load.ts';
import { hasLost } from './lostRains.ts';
import { goneReason, lostReason, unknownReason } from './restore/presence.ts';
import { hasLostTopUp } from './writeOff/lostTopUp.ts';

const options = z.object({ id: plainId.optional(), dryRun: z.boolean().default(false) });

/** Budget, packets, split, min and max are checked by `checkPlan`, like those of a rain. */
export interface TopUpRequest {
  /** The same id adds the same money only once; absent: a new id is made, and a repetition adds money again. */
  id?: string;
  budget: string;
  packets: number;
  split?: unknown;
  min?: string;
  max?: string;
  /** Only report what would be done, or why not. */
  dryRun?: boolean;
}

export type ToppedUp =
  | {
      ok: true;
      rainId: string;
      id: string;
      packets: number;
      budget: string;
      /** The whole rain. */
      total: { packets: number; budget: string };
      /** False: the rain is not loaded yet; `load` will load these packets with the others. */
      loaded: boolean;
      /** Absent in a dry run: nothing was drawn. */
      commitment?: string;
    }
  | Refused;

/** Prefix of the ids of top-ups that roll over. An operator who used such an id would stop that money from moving. */
export const ROLL_OVER = 'rollover:';

/** A top-up requested by an operator; see `addToRain`. */
export async function topUpRain(
  context: OperatorContext,
  rainId: string,
  request: TopUpRequest,
  onProgress?: (loaded: number, packets: number) => void,
): Promise<ToppedUp> {
  if (String(request.id ?? '').startsWith(ROLL_OVER))
    return refuse(
      'id',
      `${ROLL_OVER} is reserved for money that rolls over between rounds of a campaign; choose another id`,
    );
  return addToRain(context, rainId, request, onProgress);
}

/**
 * Adds money and packets to a rain, before or while it is open: first in the ledger, all or nothing, then in Redis,
 * chunk by chunk, after all earlier packets. If it is cut, repeat it with the same id. If the rain ends in between, the
 * money goes back at the settlement [R8].
 */
export async function addToRain(
  context: OperatorContext,
  rainId: string,
  request: TopUpRequest,
  onProgress: (loaded: number, packets: number) => void = () => {},
): Promise<ToppedUp> {
  const { id: _, dryRun: __, ...plan } = request;
  const parsed = options.safeParse(request);
  const checked = checkPlan(plan);
  if (!parsed.success || !checked.ok) {
    return {
      ok: false,
      refusals: [
        ...(parsed.success ? [] : refusalsOf(parsed.error, 'top-up')),
        ...(checked.ok ? [] : checked.refusals),
      ],
    };
  }
  const rain = await context.ledger.rain(rainId);
  if (!rain) return refuse('rain', await unknownReason(context, rainId));
  const id = parsed.data.id ?? randomUUID();
  const { budgetCents, packets } = checked.plan;
  const existing = rain.topUps.find((topUp) => topUp.id === id);
  const over = await refuseOver(context, rain, existing);
  if (over) return over;
  // The whole rain counts: many small top-ups are a large one. Money that rolls over was approved with its round.
  const free =
    existing !== undefined || parsed.data.dryRun || rain.terms.rehearsal === true || id.startsWith(ROLL_OVER);
  const waits = (bookedCents: Cents) =>
    needsApproval(context, {
      verb: 'top-up',
      rainId,
      request: { ...plan, id },
      amountCents: budgetCents,
      judgedCents: bookedCents + budgetCents,
    });
  const waiting = !free && (await waits(rain.budgetCents));
  if (waiting) return waiting;
  const bounds = { dryRun: parsed.data.dryRun, ...(!free && { totalCentsMax: context.approvalAboveCents }) };
  const added = await context.ledger.addTopUp(
    {
      id,
      rainId,
      budgetCents,
      packets,
      split: JSON.parse(JSON.stringify(plan)) as Json,
      seed: randomBytes(32).toString('hex'),
    },
    context.actor,
    bounds,
  );
  switch (added.outcome) {
    case 'above':
      return (await waits(added.budgetCents))!;
    case 'added':
    case 'exists':
      return parsed.data.dryRun
        ? foreseen(rain, id, checked.plan, added.outcome)
        : fill(context, rainId, added.topUp, onProgress);
    default:
      return refuseAdding(rain, id, added);
  }
}

/** Why nothing can be added any more, and where the money of a booked top-up goes. */
async function refuseOver(
  context: OperatorContext,
  rain: BookedRain,
  existing: BookedTopUp | undefined,
): Promise<Refused | undefined> {
  const reason =
    (await overReasonOf(context, rain)) ??
    (!existing && (await hasLostTopUp(context, rain.id))
      ? `a top-up of the rain ${rain.id} was lost and given up, so there are no more`
      : undefined);
  return reason === undefined ? undefined : refuse('rain', existing ? lateMessage(rain, existing, reason) : reason);
}

/** The answer of a dry run. */
function foreseen(
  rain: BookedRain,
  id: string,
  { packets, budgetCents }: { packets: number; budgetCents: Cents },
  outcome: 'added' | 'exists',
): ToppedUp {
  const more = outcome === 'exists' ? { packets: 0, budgetCents: 0n } : { packets, budgetCents };
  return {
    ok: true,
    rainId: rain.id,
    id,
    packets,
    budget: formatMoney(budgetCents),
    total: totalOf({ packets: rain.packets + more.packets, budgetCents: rain.budgetCents + more.budgetCents }),
    loaded: false,
  };
}

function refuseAdding(
  rain: BookedRain,
  id: string,
  added: Exclude<Adding, { outcome: 'added' | 'exists' | 'above' }>,
): Refused {
  switch (added.outcome) {
    case 'no_rain':
      return refuse('rain', `there is no rain ${rain.id}`);
    case 'sealed':
      return refuse('rain', `the rain ${rain.id} is over and is being settled; nothing was added`);
    case 'too_much':
      return refuse(
        'packets',
        `a rain has at most ${TOP_UPS_MAX} top-ups and ${PACKETS_MAX} packets; this one has ${rain.topUps.length} top-ups and ${rain.packets} packets`,
      );
    case 'differs':
      return existsAlready('top-up', id, added.fields);
    default:
      return added satisfies never;
  }
}

/** Loads into Redis what the ledger has of the rain, including this top-up. */
async function fill(
  context: OperatorContext,
  rainId: string,
  topUp: BookedTopUp,
  onProgress: (loaded: number, packets: number) => void,
): Promise<ToppedUp> {
  const rain = await context.ledger.rain(rainId);
  if (!rain) throw new Error(`the ledger has no rain ${rainId}`);
  const { id, packets, budgetCents, commitment } = topUp;
  const done = {
    ok: true,
    rainId,
    id,
    packets,
    budget: formatMoney(budgetCents),
    total: totalOf(rain),
    commitment,
  } as const;
  const snapshot = await readRain(context.redis, rainId, rain);
  // The top-up is booked before this read. A load that is running now reads the ledger again at its end and finds it.
  if (!snapshot || snapshot.state === 'draft') return { ...done, loaded: false };
  if (breaksCommitment(rain, await recordedCommitment(context, rainId)))
    return refuse(
      'rain',
      `seed and plan of the rain ${rainId} do not match the commitment; its packets would not be the promised ones`,
    );
  const loaded = await loadPackets(context.redis, context.signer, rainId, rain.shards, stockOf(rain), (count) =>
    onProgress(count, rain.packets),
  );
  await announceChange(context.redis, rainId);
  if (!loaded.ok) return refuse('rain', lateMessage(rain, topUp, UNFILLED[loaded.reason](rainId)));
  return { ...done, loaded: true };
}

/** Why nothing can be added any more; `undefined`: top-ups are accepted. */
async function overReasonOf(context: OperatorContext, rain: BookedRain): Promise<string | undefined> {
  if (rain.settledAt !== undefined) return `the rain ${rain.id} is settled`;
  if (rain.sealedAt !== undefined) return `the rain ${rain.id} is over and is being settled`;
  const stored = await readRain(context.redis, rain.id, rain);
  if (!stored && (await hasLost(context, rain))) return goneReason(context.redis, rain);
  const now = await redisNow(context.redis);
  const state = stored && stateAt(stored, now);
  if (state ? state === 'closed' || state === 'settled' : now >= rain.closesAt) return `the rain ${rain.id} is over`;
  if (!stored || stored.packets <= rain.packets) return undefined;
  // A top-up that was added meanwhile is in the ledger before it is in Redis.
  const booked = (await context.ledger.rain(rain.id))?.packets ?? 0;
  return stored.packets > booked
    ? `Redis has ${stored.packets} packets of the rain ${rain.id}, and the ledger knows ${booked}: it has lost a top-up; see rain restore check ${rain.id}`
    : undefined;
}

/** Why the packets of a top-up cannot be pushed. */
const UNFILLED = {
  no_such_rain: lostReason,
  not_a_draft: (rainId: string) => `the rain ${rainId} is over`,
  other_key: (rainId: string) => `nothing can be added to the rain ${rainId}: ${OTHER_KEY}`,
};

function lateMessage({ id }: BookedRain, topUp: BookedTopUp, why: string): string {
  return `${why}; the ${formatMoney(topUp.budgetCents)} of this top-up are in the ledger of ${id}, and the unclaimed part goes back when it is settled`;
}

function totalOf({ packets, budgetCents }: Pick<BookedRain, 'packets' | 'budgetCents'>): {
  packets: number;
  budget: string;
} {
  return { packets, budget: formatMoney(budgetCents) };
}
